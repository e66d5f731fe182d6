create table t001_kna (
  kdnr varchar(10) primary key, name1 varchar(40) not null, name2 varchar(40), adrnr int, smtp varchar(120), telf1 varchar(30), fld_07 varchar(12),
  fld_08 varchar(12), loevm char(1), sprsl char(1), ernam varchar(12)
);
create table t002_adr (adrnr int primary key, stras varchar(60), pstlz varchar(10), ort01 varchar(40), land1 char(2));
create table t003_vbk (
  vbeln varchar(10) primary key, kdnr varchar(10), kdnr_we varchar(10), erdat date, ernam varchar(12), fld_03 varchar(80), loevm char(1)
);
create table t004_vbp (
  vbeln varchar(10) not null references t003_vbk on delete cascade, posnr int not null, matnr varchar(8) not null, menge int, fld_11 varchar(40),
  primary key (vbeln, posnr)
);
create table t005_mat (matnr varchar(8) primary key, maktx varchar(40), aenam varchar(12));
create table t006_usr (bname varchar(12) primary key, pernr int, smtp_addr varchar(120), pwdhash varchar(60), gltgb date);
create table t007_per (
  pernr int primary key, nachn varchar(40), vorna varchar(40), gbdat date, adrnr int, kdnr varchar(10), bankn varchar(34), chef int
);
create table t008_txt (obtyp char(2) not null, obkey varchar(10) not null, lfdnr int not null, tdline text, ernam varchar(12), primary key (obtyp, obkey, lfdnr));
create table t009_nac (nid int primary key, fld_01 varchar(10) not null, fld_02 varchar(10), betr varchar(40), tdline text, gelkz char(1));
create table t010_log (bname varchar(12), tstmp timestamp, tcode varchar(8), fld_11 varchar(40));
create table t011_knb (kdnr varchar(10) not null, banks char(2) not null, iban varchar(34), koinh varchar(40), primary key (kdnr, banks));
create table t012_bez (kdnr_1 varchar(10) not null, kdnr_2 varchar(10) not null, relart char(2) not null, bem varchar(40), primary key (kdnr_1, kdnr_2, relart));
create table t013_inv (invid int primary key, kdnr varchar(10) not null, smtp_neu varchar(120), tdline text);
create view v_kna as select k.kdnr, k.name1, k.smtp, a.ort01 from t001_kna k left join t002_adr a on a.adrnr = k.adrnr where k.loevm is null;

insert into t001_kna values
  ('0000000001', 'Holm', 'Ida', 1, 'ida@alt.example', '040 1', 'RIEK', null, null, 'D', 'BATCH'),
  ('0000000002', 'Holm', 'Nils', 1, 'NILS@ALT.EXAMPLE', '040 1', 'SVEN', '0000000001', null, 'D', 'RIEK'),
  ('0000000003', 'Riek', 'Sara', 2, 'sara@privat.example', 'n/a', 'SVEN', null, null, 'E', 'SVEN'),
  ('0000000004', 'Tot', 'Karl', 3, 'karl@alt.example', null, 'RIEK', '0000000002', 'X', 'D', 'RIEK'),
  ('0000009999', 'CPD', 'n/a', null, 'n/a', '-', null, null, null, 'D', 'BATCH');
insert into t002_adr values
  (1, 'Deich 1', '20457', 'HAMBURG', 'DE'), (2, 'Kai 2', '20457', 'HAMBURG', 'DE'), (3, 'Ufer 3', null, 'KIEL', 'DE'), (4, 'Werk 4', '24103', 'KIEL', 'DE');
insert into t003_vbk values
  ('5000000001', '0000000001', '0000000001', '2020-01-01', 'RIEK', 'eilt', null), ('5000000002', '0000000001', '0000000002', '2020-02-01', 'SVEN', 'an den Mann', null),
  ('5000000003', '0000000003', null, '2020-03-01', 'SVEN', 'MA-Kauf', null), ('5000000004', '0000000004', '0000000004', '2001-01-01', 'ALT', null, 'X'),
  ('5000000005', '0000009999', null, '2020-04-01', 'RIEK', 'bar', null), ('5000000006', null, null, null, 'BATCH', null, null);
insert into t004_vbp values
  ('5000000001', 10, 'M1', 1, 'IH'), ('5000000001', 20, 'M2', 2, null), ('5000000002', 10, 'M1', 1, 'für Nils'), ('5000000003', 10, 'M2', 1, null),
  ('5000000004', 10, 'M1', 5, null), ('5000000005', 10, 'M1', 1, null), ('5000000006', 10, 'M2', 1, null);
insert into t005_mat values ('M1', 'Tau', 'RIEK'), ('M2', 'Segel', 'BATCH');
-- RIEK is the customer 3 at home; SVEN is no customer; ALT has left; BATCH is nobody
insert into t006_usr values
  ('RIEK', 700, 'sara.riek@werft.example', 'x1', null), ('SVEN', 701, 'Sven@Werft.example', 'x2', null), ('ALT', 702, 'n/a', 'x3', '2005-01-01'),
  ('BATCH', null, null, null, null);
insert into t007_per values
  (700, 'Riek', 'Sara', '1980-01-01', 2, '0000000003', 'DE02 700', 701), (701, 'Sund', 'Sven', '1970-01-01', 4, null, 'DE02 701', null),
  (702, 'Alt', 'Otto', null, null, null, null, 701);
-- the same key means a customer, an order and a person
insert into t008_txt values
  ('KN', '0000000001', 1, 'Ida zahlt gern spät', 'RIEK'), ('KN', '0000000002', 1, 'n/a', 'SVEN'), ('VB', '5000000001', 1, 'zwei Pakete', 'RIEK'),
  ('VB', '5000000002', 1, 'nicht klingeln', 'SVEN'), ('VB', '5000000003', 1, 'Rabatt', 'SVEN'), ('MA', 'M1', 1, 'neues Tau', 'RIEK'), ('KN', '0000000004', 1, null, 'ALT');
insert into t009_nac values
  (1, '0000000001', '0000000002', 'Hallo', 'Nils, hol das ab', null), (2, '0000000002', '0000000003', null, 'n/a', 'X'), (3, '0000000003', null, 'an alle', 'Gruß', null),
  (4, '0000000004', '0000000001', 'Adieu', null, null);
insert into t010_log values ('RIEK', '2020-01-01', 'VA01', '5000000001'), ('SVEN', '2020-02-01', 'XD02', '0000000002'), ('BATCH', null, 'SM37', null), (null, null, 'n/a', null);
insert into t011_knb values ('0000000001', 'DE', 'DE03 1', 'Ida Holm'), ('0000000002', 'DE', 'DE03 1', 'Ida Holm'), ('0000000003', 'DE', 'n/a', null), ('0000009999', 'DE', null, null);
insert into t012_bez values ('0000000001', '0000000002', 'EH', 'verheiratet'), ('0000000003', '0000000004', 'NB', null);
insert into t013_inv values (1, '0000000001', 'NILS@alt.example', 'komm'), (2, '0000000002', 'fern@weg.example', null), (3, '0000000003', 'n/a', 'wer mag');
