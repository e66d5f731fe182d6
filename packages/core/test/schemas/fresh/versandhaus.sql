create table mitarbeiter (
  personalnr int primary key, vorname varchar(40) not null, nachname varchar(40) not null, email_dienstlich varchar(120) unique,
  telefon varchar(30), iban varchar(34), eintritt date, austritt date, vorgesetzter int references mitarbeiter
);
create table anschriften (
  anschrift_nr int primary key, straße varchar(80), plz varchar(10), ort varchar(60), land char(2) not null default 'DE'
);
create table kunden (
  kundennr int primary key, anrede varchar(10), name varchar(80) not null, "E-Mail" varchar(120), email_alt varchar(120), telefon varchar(30),
  rechnungsanschrift int references anschriften, lieferanschrift int references anschriften, vertreter int references mitarbeiter,
  personalnr int references mitarbeiter, geworben_von int references kunden, angelegt_von int not null references mitarbeiter,
  gelöscht_am timestamp
);
create table kinder (
  id int primary key, elternteil int not null references kunden, zweiter_elternteil int references kunden, vorname varchar(40) not null,
  geburtstag date, geschlecht char(1)
);
create table lieferanten (
  lieferant_nr int primary key, firma varchar(80) not null, ort varchar(60), betreuer int references mitarbeiter
);
create table ansprechpartner (
  id int primary key, lieferant_nr int not null references lieferanten on delete cascade, name varchar(80), email varchar(120), durchwahl varchar(20),
  bemerkung text
);
create table artikel (artikelnr varchar(12) primary key, bezeichnung varchar(80) not null, lieferant_nr int references lieferanten);
create table bestellungen (
  bestellnr int primary key, kundennr int references kunden, beschenkter int references kunden, sachbearbeiter int references mitarbeiter,
  versandanschrift int references anschriften, bestellt_am date not null, storniert_am timestamp, bemerkung text
);
create table bestellpositionen (
  bestellnr int not null references bestellungen on delete cascade, pos int not null, artikelnr varchar(12) not null references artikel,
  menge int not null, gravur varchar(40), primary key (bestellnr, pos)
);
create table nachrichten (
  id int primary key, absender_typ varchar(12) not null, absender_nr int not null, empfänger_typ varchar(12) not null, empfänger_nr int not null,
  betreff varchar(80), inhalt text, gesendet_am timestamp
);
create table einladungen (
  id int primary key, eingeladen_von int not null references kunden, email varchar(120), grußtext text, eingelöst_von int references kunden
);
create table telefonnotizen (kundennr int references kunden on delete cascade, notiert_am date, notiz text, notiert_von int references mitarbeiter);
create table änderungsprotokoll (
  id int primary key, tabelle varchar(30) not null, datensatz_nr int not null, feld varchar(30), alter_wert text, neuer_wert text,
  geändert_von int references mitarbeiter
);
create view kundenliste as
  select k.kundennr, k.name, k."E-Mail", a.ort, m.nachname as vertreter from kunden k
  left join anschriften a on a.anschrift_nr = k.rechnungsanschrift left join mitarbeiter m on m.personalnr = k.vertreter
  where k.gelöscht_am is null;

insert into mitarbeiter values
  (10, 'Greta', 'Groß', 'greta.gross@haus.example', '030 100-10', 'DE01 10', '2010-01-01', null, null),
  (11, 'Jonas', 'Bauer', 'Jonas.Bauer@haus.example', 'n/a', 'DE01 11', '2015-03-01', null, 10),
  (12, 'Ole', 'Alt', 'ole.alt@haus.example', null, null, '2001-01-01', '2019-12-31', 10);
insert into anschriften values
  (1, 'Lindenweg 1', '10115', 'Berlin', 'DE'), (2, 'Am Markt 5', '20095', 'Hamburg', 'DE'), (3, 'Postfach 9', '50667', 'Köln', 'DE'),
  (4, 'Hof 7', '01067', 'Dresden', 'DE'), (5, 'n/a', null, null, 'DE');
-- Eva and Max live together; 3 is the employee 11; 4 was deleted softly; 5 has no address of any kind; 6 is known by an old address
insert into kunden values
  (1, 'Frau', 'Eva Kern', 'eva@post.example', null, '030 5', 1, 1, 10, null, null, 11, null),
  (2, 'Herr', 'Max Kern', 'MAX@POST.EXAMPLE', 'max.alt@post.example', '030 5', 1, 2, 11, null, 1, 10, null),
  (3, null, 'J. Bauer', 'n/a', 'n/a', null, 4, null, 10, 11, null, 10, null),
  (4, 'Frau', 'Ute Weg', 'ute@post.example', null, null, 3, null, 11, null, 2, 11, '2023-05-01'),
  (5, 'Firma', 'Laufkundschaft', 'n/a', null, '-', 5, 5, null, null, null, 10, null);
insert into kinder values
  (1, 1, 2, 'Lia', '2015-01-01', 'w'), (2, 2, null, 'Tim', '2012-01-01', 'm'), (3, 4, null, 'Kim', null, null), (4, 3, null, 'Bea', null, 'w');
insert into lieferanten values (1, 'Holz GmbH', 'Ulm', 10), (2, 'Garn AG', 'Bern', null);
insert into ansprechpartner values
  (1, 1, 'Paul Holz', 'paul@holz.example', '-12', 'duzt sich mit Greta'), (2, 1, 'Zentrale', 'info@holz.example', '-0', null),
  (3, 2, 'Eva Kern', 'Eva@Post.example', null, 'nebenberuflich'), (4, 2, null, 'n/a', null, null);
insert into artikel values ('A-1', 'Kiste', 1), ('A-2', 'Decke', 2);
insert into bestellungen values
  (100, 1, null, 11, 1, '2024-01-01', null, 'bitte klingeln'), (101, 1, 2, 10, 2, '2024-02-01', null, 'Geschenk für Max'),
  (102, 2, null, null, 1, '2024-03-01', '2024-03-02', null), (103, 3, null, 11, 4, '2024-03-05', null, 'Personalkauf'),
  (104, 4, null, 10, 3, '2022-01-01', null, 'n/a'), (105, 5, null, 10, null, '2024-04-01', null, null), (106, null, null, 11, null, '2024-04-02', null, 'bar');
insert into bestellpositionen values
  (100, 1, 'A-1', 1, null), (100, 2, 'A-2', 2, 'Eva'), (101, 1, 'A-2', 1, 'Für Max'), (102, 1, 'A-1', 1, null), (103, 1, 'A-1', 3, null),
  (104, 1, 'A-2', 1, 'Kim'), (105, 1, 'A-1', 1, null), (106, 1, 'A-1', 1, null);
-- the numbers of customers and employees are of their own: 10 and 11 are employees, 1 to 5 customers
insert into nachrichten values
  (1, 'Kunde', 1, 'Mitarbeiter', 11, 'Wo bleibt es?', 'Hallo Herr Bauer', '2024-01-05'), (2, 'Mitarbeiter', 11, 'Kunde', 1, 'AW', 'Unterwegs', null),
  (3, 'Kunde', 2, 'Kunde', 1, 'Danke', 'für das Geschenk', null), (4, 'Mitarbeiter', 10, 'Mitarbeiter', 11, 'Eva', 'ruf sie an', null),
  (5, 'Kunde', 4, 'Mitarbeiter', 12, null, 'n/a', null), (6, 'Kunde', 5, 'Mitarbeiter', 10, 'Rabatt', '', null);
insert into einladungen values
  (1, 1, 'max@post.example', 'Komm dazu', 2), (2, 1, 'gast@fern.example', 'Schau mal', null), (3, 2, 'Ute@post.example', null, 4),
  (4, 2, null, 'für irgendwen', null);
insert into telefonnotizen values
  (1, '2024-01-01', 'Eva klagt', 11), (2, '2024-01-02', 'Max auch', 10), (3, null, 'n/a', 10), (null, '2024-01-03', 'aufgelegt', 11), (5, null, null, null);
insert into änderungsprotokoll values
  (1, 'kunden', 1, 'telefon', '030 4', '030 5', 11), (2, 'bestellungen', 101, 'bemerkung', null, 'Geschenk für Max', 10),
  (3, 'kunden', 2, 'email', 'max.alt@post.example', 'MAX@POST.EXAMPLE', 10), (4, 'artikel', 1, 'bezeichnung', 'Kist', 'Kiste', 11),
  (5, 'mitarbeiter', 11, 'telefon', '030 100-11', 'n/a', 10), (6, 'bestellungen', 104, null, null, null, null);
