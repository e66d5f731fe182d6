import { type FreshSchema, freshSql } from './fresh-schema.js'

const staff = `(select personalnr from mitarbeiter where lower(email_dienstlich) = lower($1))`
const customers = `(select kundennr from kunden where lower("E-Mail") = lower($1) or personalnr in ${staff})`
const others = `(select kundennr from kunden where kundennr not in ${customers})`
const ownOrders = `(select bestellnr from bestellungen where coalesce(kundennr, beschenkter) in ${customers}
  and coalesce(beschenkter, kundennr) in ${customers})`
const sharedOrders = `(select bestellnr from bestellungen where kundennr in ${customers} and beschenkter in ${others}
  or kundennr in ${others} and beschenkter in ${customers})`
/** Addresses of customers and of orders, each with whom it is for. */
const addresses = `(select rechnungsanschrift as a, kundennr from kunden union select lieferanschrift, kundennr from kunden
  union select versandanschrift, kundennr from bestellungen union select versandanschrift, beschenkter from bestellungen)`
const hers = `(select a from ${addresses} as x where kundennr in ${customers})`
const theirs = `(select a from ${addresses} as y where kundennr in ${others} and a is not null)`
const mine = (side: string) =>
  `(${side}_typ = 'Kunde' and ${side}_nr in ${customers} or ${side}_typ = 'Mitarbeiter' and ${side}_nr in ${staff})`
/** An invitation is whose address it names, else whoever took it, else whoever wrote it. */
const invitation = `case when nullif(email, 'n/a') is not null then lower(email) = lower($1)
  else coalesce(eingelöst_von, eingeladen_von) in ${customers} end`

/** A mail-order firm with German names: numbers of customers and of employees, and messages between both. */
export const versandhaus: FreshSchema = {
  name: 'versandhaus',
  sql: freshSql('versandhaus'),
  people: [
    { who: 'greta.gross@haus.example' },
    // An employee who is a customer under no address of his own.
    { who: 'jonas.bauer@haus.example' },
    { who: 'ole.alt@haus.example' },
    // A customer who answers the phone for a supplier, too.
    { who: 'eva@post.example' },
    { who: 'max@post.example' },
    { who: 'ute@post.example' },
    { who: 'paul@holz.example' },
    // Known by an invitation alone.
    { who: 'gast@fern.example' },
  ],
  truth: {
    mitarbeiter: { own: `select personalnr from mitarbeiter where personalnr in ${staff}` },
    kunden: { own: `select kundennr from kunden where kundennr in ${customers}` },
    anschriften: {
      own: `select anschrift_nr from anschriften where anschrift_nr in ${hers} and anschrift_nr not in ${theirs}`,
      shared: `select anschrift_nr from anschriften where anschrift_nr in ${hers} and anschrift_nr in ${theirs}`,
    },
    kinder: {
      own: `select id from kinder where elternteil in ${customers} and zweiter_elternteil is null`,
      shared: `select id from kinder where zweiter_elternteil is not null and (elternteil in ${customers} or zweiter_elternteil in ${customers})`,
    },
    ansprechpartner: { own: `select id from ansprechpartner where lower(email) = lower($1)` },
    bestellungen: {
      own: `select bestellnr from bestellungen where bestellnr in ${ownOrders}`,
      shared: `select bestellnr from bestellungen where bestellnr in ${sharedOrders}`,
    },
    bestellpositionen: {
      own: `select bestellnr, pos from bestellpositionen where bestellnr in ${ownOrders}`,
      shared: `select bestellnr, pos from bestellpositionen where bestellnr in ${sharedOrders}`,
    },
    nachrichten: { shared: `select id from nachrichten where ${mine('absender')} or ${mine('empfänger')}` },
    einladungen: { own: `select id from einladungen where ${invitation}` },
    änderungsprotokoll: {
      own: `select id from änderungsprotokoll where tabelle = 'kunden' and datensatz_nr in ${customers}
        or tabelle = 'mitarbeiter' and datensatz_nr in ${staff} or tabelle = 'bestellungen' and datensatz_nr in ${ownOrders}`,
      shared: `select id from änderungsprotokoll where tabelle = 'bestellungen' and datensatz_nr in ${sharedOrders}`,
    },
  },
  nobodys: ['artikel', 'lieferanten', 'telefonnotizen', 'kundenliste'],
  keyless: { telefonnotizen: `select * from telefonnotizen where kundennr in ${customers}` },
  answers: {
    asked: {
      lieferanten: { owner: [] },
      'änderungsprotokoll.geändert_von': { direction: 'none' },
      'bestellungen.versandanschrift': { direction: 'to' },
      'bestellungen.beschenkter': { direction: 'from' },
      'bestellungen.kundennr': { direction: 'from' },
      'kinder.elternteil': { direction: 'from' },
      'kinder.zweiter_elternteil': { direction: 'from' },
      'kunden.lieferanschrift': { direction: 'to' },
      'kunden.rechnungsanschrift': { direction: 'to' },
      'kunden.personalnr': { direction: 'from' },
      'telefonnotizen.kundennr': { direction: 'from' },
      'telefonnotizen.notiert_von': { direction: 'none' },
      'kunden.E-Mail': { identity: 'email' },
      'ansprechpartner.email': { identity: 'email' },
      'einladungen.email': { identity: 'email' },
      einladungen: { owner: ['email', 'eingelöst_von', 'eingeladen_von'] },
      'mitarbeiter.email_dienstlich': { identity: 'email' },
      'nachrichten.absender_nr': {
        references: [
          { field: 'kunden.kundennr', direction: 'from', when: { absender_typ: 'Kunde' } },
          { field: 'mitarbeiter.personalnr', direction: 'from', when: { absender_typ: 'Mitarbeiter' } },
        ],
      },
      'nachrichten.empfänger_nr': {
        references: [
          { field: 'kunden.kundennr', direction: 'from', when: { empfänger_typ: 'Kunde' } },
          { field: 'mitarbeiter.personalnr', direction: 'from', when: { empfänger_typ: 'Mitarbeiter' } },
        ],
      },
      'änderungsprotokoll.datensatz_nr': {
        references: [
          { field: 'kunden.kundennr', direction: 'from', when: { tabelle: 'kunden' } },
          { field: 'bestellungen.bestellnr', direction: 'from', when: { tabelle: 'bestellungen' } },
          { field: 'mitarbeiter.personalnr', direction: 'from', when: { tabelle: 'mitarbeiter' } },
        ],
      },
    },
    beyond: {
      einladungen:
        'Each field alone is offered; that the address comes before the two customers is how the firm works.',
      'mitarbeiter.email_dienstlich': 'A column that is named after the e-mail address of the firm is not recognized.',
      'nachrichten.absender_nr': 'Its pair ends in `_nr`, and a draft knows those in `_id`.',
      'nachrichten.empfänger_nr': 'The same.',
      'änderungsprotokoll.datensatz_nr': 'That it goes with the name of a table beside it is in the rows alone.',
    },
    placeholders: { 'mitarbeiter.email_dienstlich': ['n/a'] },
    categories: {
      'mitarbeiter.email_dienstlich': 'user.contact.email',
      'bestellungen.bemerkung': 'user.observed',
      'bestellpositionen.artikelnr': 'user.behavior.purchase_history',
      'bestellpositionen.gravur': 'user.observed',
      'nachrichten.inhalt': 'user.observed',
      'ansprechpartner.name': 'user.name',
      'ansprechpartner.bemerkung': 'user.observed',
      'telefonnotizen.notiz': 'user.observed',
      'änderungsprotokoll.alter_wert': 'user.observed',
      'änderungsprotokoll.neuer_wert': 'user.observed',
    },
  },
  needed: {
    category: 'bestellpositionen.artikelnr',
    without:
      /Rows of 'versandhaus:bestellungen' cannot be deleted: 1 row of 'versandhaus:bestellpositionen' .* would be deleted with them/,
    by: ['eva@post.example', 'jonas.bauer@haus.example'],
  },
  overLimit: 'Most rows name several people, or name one where they need not.',
  deletes: ['ansprechpartner', 'kinder', 'bestellungen', 'bestellpositionen', 'einladungen', 'änderungsprotokoll'],
}
