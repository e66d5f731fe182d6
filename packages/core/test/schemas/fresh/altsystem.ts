import { type FreshSchema, freshSql } from './fresh-schema.js'

const staff = `(select pernr from t007_per where pernr in (select pernr from t006_usr where lower(smtp_addr) = lower($1)))`
const customers = `(select kdnr from t001_kna where lower(smtp) = lower($1)
  or kdnr in (select kdnr from t007_per where pernr in ${staff}))`
const others = `(select kdnr from t001_kna where kdnr not in ${customers})`
const orders = (shared: boolean) => `(select vbeln from t003_vbk where (kdnr in ${customers} or kdnr_we in ${customers})
  and ${shared ? '' : 'not '}(coalesce(kdnr in ${others}, false) or coalesce(kdnr_we in ${others}, false)))`
const addresses = `(select adrnr, kdnr as who from t001_kna union select adrnr, pernr::text from t007_per)`
const hers = `(select adrnr from ${addresses} as a where who in ${customers} or who in (select pernr::text from t007_per where pernr in ${staff}))`
const theirs = `(select adrnr from ${addresses} as b where adrnr is not null and who not in ${customers}
  and who not in (select pernr::text from t007_per where pernr in ${staff}))`
const pair = (table: string, keys: string, one: string, other: string, shared: boolean) =>
  `select ${keys} from ${table} where (${one} in ${customers} or ${other} in ${customers})
    and ${shared ? '' : 'not '}(coalesce(${one} in ${others}, false) or coalesce(${other} in ${others}, false))`
/** An invitation is whose address it names, else whoever wrote it. */
const invitation = `case when nullif(smtp_neu, 'n/a') is not null then lower(smtp_neu) = lower($1) else kdnr in ${customers} end`

/** An old system with names that say nothing and one foreign key. */
export const altsystem: FreshSchema = {
  name: 'altsystem',
  sql: freshSql('altsystem'),
  people: [
    { who: 'ida@alt.example' },
    { who: 'nils@alt.example' },
    // An employee who is a customer under another address.
    {
      who: 'sara.riek@werft.example',
      identities: [{ email: 'sara.riek@werft.example' }, { email: 'sara@privat.example' }],
    },
    { who: 'sven@werft.example' },
    { who: 'karl@alt.example' },
    // Known by an invitation alone.
    { who: 'fern@weg.example' },
  ],
  truth: {
    t001_kna: { own: `select kdnr from t001_kna where kdnr in ${customers}` },
    t002_adr: {
      own: `select adrnr from t002_adr where adrnr in ${hers} and adrnr not in ${theirs}`,
      shared: `select adrnr from t002_adr where adrnr in ${hers} and adrnr in ${theirs}`,
    },
    t003_vbk: {
      own: `select vbeln from t003_vbk where vbeln in ${orders(false)}`,
      shared: `select vbeln from t003_vbk where vbeln in ${orders(true)}`,
    },
    t004_vbp: {
      own: `select vbeln, posnr from t004_vbp where vbeln in ${orders(false)}`,
      shared: `select vbeln, posnr from t004_vbp where vbeln in ${orders(true)}`,
    },
    t006_usr: { own: `select bname from t006_usr where lower(smtp_addr) = lower($1)` },
    t007_per: { own: `select pernr from t007_per where pernr in ${staff}` },
    t008_txt: {
      own: `select obtyp, obkey, lfdnr from t008_txt where obtyp = 'KN' and obkey in ${customers}
        or obtyp = 'VB' and obkey in ${orders(false)}`,
      shared: `select obtyp, obkey, lfdnr from t008_txt where obtyp = 'VB' and obkey in ${orders(true)}`,
    },
    t009_nac: {
      own: pair('t009_nac', 'nid', 'fld_01', 'fld_02', false),
      shared: pair('t009_nac', 'nid', 'fld_01', 'fld_02', true),
    },
    t011_knb: { own: `select kdnr, banks from t011_knb where kdnr in ${customers}` },
    t012_bez: { shared: pair('t012_bez', 'kdnr_1, kdnr_2, relart', 'kdnr_1', 'kdnr_2', true) },
    t013_inv: { own: `select invid from t013_inv where ${invitation}` },
  },
  nobodys: ['t005_mat', 't010_log', 'v_kna'],
  keyless: {
    t010_log: `select * from t010_log where bname in (select bname from t006_usr where lower(smtp_addr) = lower($1))`,
  },
  answers: {
    asked: {
      't001_kna.smtp': { identity: 'email' },
      't006_usr.smtp_addr': { identity: 'email' },
      't013_inv.smtp_neu': { identity: 'email' },
      't001_kna.adrnr': { references: [{ field: 't002_adr.adrnr', direction: 'to' }] },
      't003_vbk.kdnr': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't003_vbk.kdnr_we': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't004_vbp.vbeln': { direction: 'from' },
      't006_usr.pernr': { references: [{ field: 't007_per.pernr', direction: 'both' }] },
      't007_per.adrnr': { references: [{ field: 't002_adr.adrnr', direction: 'to' }] },
      't007_per.kdnr': { references: [{ field: 't001_kna.kdnr', direction: 'both' }] },
      't008_txt.obkey': {
        references: [
          { field: 't001_kna.kdnr', direction: 'from', when: { obtyp: 'KN' } },
          { field: 't003_vbk.vbeln', direction: 'from', when: { obtyp: 'VB' } },
        ],
      },
      't009_nac.fld_01': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't009_nac.fld_02': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't010_log.bname': { references: [{ field: 't006_usr.bname', direction: 'from' }] },
      't011_knb.kdnr': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't012_bez.kdnr_1': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      't012_bez.kdnr_2': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
      t013_inv: { owner: ['smtp_neu', 'kdnr'] },
      't013_inv.kdnr': { references: [{ field: 't001_kna.kdnr', direction: 'from' }] },
    },
    beyond: Object.fromEntries(
      [
        ...[
          't003_vbk.kdnr_we',
          't008_txt.obkey',
          't009_nac.fld_01',
          't009_nac.fld_02',
          't012_bez.kdnr_1',
          't012_bez.kdnr_2',
        ],
        ...['t013_inv', 't013_inv.kdnr', 't013_inv.smtp_neu'],
      ].map((place) => [place, 'Names say nothing, and there is no foreign key: the old handbook does.']),
    ),
    placeholders: { 't013_inv.smtp_neu': ['n/a'] },
    categories: {
      't001_kna.name1': 'user.name',
      't001_kna.name2': 'user.name',
      't001_kna.telf1': 'user.contact.phone_number',
      't002_adr.stras': 'user.contact.address.street',
      't002_adr.ort01': 'user.contact.address.city',
      't003_vbk.fld_03': 'user.observed',
      't004_vbp.fld_11': 'user.observed',
      't004_vbp.matnr': 'user.behavior.purchase_history',
      't007_per.nachn': 'user.name',
      't007_per.vorna': 'user.name',
      't007_per.gbdat': 'user.date_of_birth',
      't007_per.bankn': 'user.financial.account_number',
      't008_txt.tdline': 'user.observed',
      't009_nac.tdline': 'user.observed',
      't010_log.fld_11': 'user.observed',
      't011_knb.koinh': 'user.name',
      't012_bez.bem': 'user.observed',
      't013_inv.smtp_neu': 'user.contact.email',
      't013_inv.tdline': 'user.observed',
    },
  },
  needed: {
    category: 't004_vbp.matnr',
    without:
      /Rows of 'altsystem:t003_vbk' cannot be deleted: 1 row of 'altsystem:t004_vbp' .* would be deleted with them/,
    by: ['ida@alt.example', 'sara.riek@werft.example'],
  },
  overLimit: 'Names say nothing, and there is one foreign key: a person has to tell nearly all of it unasked.',
  deletes: ['t003_vbk', 't004_vbp', 't008_txt', 't009_nac', 't011_knb', 't013_inv'],
}
