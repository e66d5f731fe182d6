create table artist (artist_id int primary key, name varchar(120));
create table album (album_id int primary key, title varchar(160) not null, artist_id int not null references artist);
create table genre (genre_id int primary key, name varchar(120));
create table media_type (media_type_id int primary key, name varchar(120));
create table track (
  track_id int primary key, name varchar(200) not null, album_id int references album,
  media_type_id int not null references media_type, genre_id int references genre, composer varchar(220),
  milliseconds int not null, unit_price numeric(10, 2) not null
);
create table playlist (playlist_id int primary key, name varchar(120));
create table playlist_track (
  playlist_id int references playlist, track_id int references track, primary key (playlist_id, track_id)
);
create table employee (
  employee_id int primary key, last_name varchar(20) not null, first_name varchar(20) not null, title varchar(30),
  reports_to int references employee, birth_date timestamp, hire_date timestamp, address varchar(70), city varchar(40),
  state varchar(40), country varchar(40), postal_code varchar(10), phone varchar(24), fax varchar(24), email varchar(60)
);
create table customer (
  customer_id int primary key, first_name varchar(40) not null, last_name varchar(20) not null, company varchar(80),
  address varchar(70), city varchar(40), state varchar(40), country varchar(40), postal_code varchar(10), phone varchar(24),
  fax varchar(24), email varchar(60) not null, support_rep_id int references employee
);
create table invoice (
  invoice_id int primary key, customer_id int not null references customer, invoice_date timestamp not null,
  billing_address varchar(70), billing_city varchar(40), billing_country varchar(40), billing_postal_code varchar(10),
  total numeric(10, 2) not null
);
create table invoice_line (
  invoice_line_id int primary key, invoice_id int not null references invoice, track_id int not null references track,
  unit_price numeric(10, 2) not null, quantity int not null
);
create view sales_by_customer as
  select c.first_name || ' ' || c.last_name as customer_name, c.email, sum(i.total) as total
  from customer c join invoice i using (customer_id) group by c.customer_id;
create view support_load as
  select e.email, count(*) as customers from employee e join customer c on c.support_rep_id = e.employee_id group by e.email;

insert into artist values (1, 'Nordlicht'), (2, 'The Paper Kites of Oslo'), (3, 'Ana Brava');
insert into album values (1, 'Long Evenings', 1), (2, 'Letters', 2), (3, 'Sal y Sol', 3);
insert into genre values (1, 'Folk'), (2, 'Electronic'), (3, 'Latin');
insert into media_type values (1, 'AAC'), (2, 'FLAC');
insert into track values
  (1, 'Slow Ferry', 1, 2, 2, 'N. Licht', 251000, 0.99), (2, 'Harbour', 1, 2, 2, null, 198000, 0.99),
  (3, 'Dear Ingrid', 2, 1, 1, 'P. Kite', 203000, 0.99), (4, 'Return to Sender', 2, 1, 1, '-', 187000, 0.99),
  (5, 'Arena', 3, 1, 3, 'A. Brava', 221000, 1.29), (6, 'Unreleased', null, 1, null, null, 60000, 1.29);
insert into playlist values (1, 'Evening'), (2, 'Staff picks'), (3, 'Empty');
insert into playlist_track values (1, 1), (1, 2), (1, 3), (2, 3), (2, 5);
-- andrew leads nancy, who leads jane, robert and steve; the e-mail of the trainee is not known yet
insert into employee values
  (1, 'Adamsson', 'Andrew', 'General Manager', null, '1962-02-18', '2002-08-14', 'Jasper Ave 11', 'Edmonton', 'AB', 'Canada', 'T5K 2N1', '+1 780 428-9482', '+1 780 428-3457', 'andrew@chinook.example'),
  (2, 'Edvards', 'Nancy', 'Sales Manager', 1, '1958-12-08', '2002-05-01', '825 8 Ave', 'Calgary', 'AB', 'Canada', 'T2P 2T3', '+1 403 262-3443', null, 'nancy@chinook.example'),
  (3, 'Peacocke', 'Jane', 'Sales Support', 2, '1973-08-29', '2002-04-01', '1111 6 Ave', 'Calgary', 'AB', 'Canada', 'T2P 5M5', '+1 403 262-3443', '-', 'jane@chinook.example'),
  (4, 'Kingsley', 'Robert', 'IT Staff', 2, '1970-05-29', '2004-01-02', '590 Columbia Blvd', 'Lethbridge', 'AB', 'Canada', 'T1K 5N8', 'N/A', null, 'Robert@Chinook.example'),
  (5, 'Johnstone', 'Steve', 'Sales Support', 2, '1965-03-03', '2003-10-17', '7727B 41 Ave', 'Calgary', 'AB', 'Canada', 'T3B 1Y7', '+1 780 836-9987', null, 'steve@chinook.example'),
  (6, 'N/A', 'Trainee', 'Sales Support', 3, null, null, null, null, null, null, null, null, null, null);
-- steve buys where he works; frank and luisa share a flat and a phone; two customers came without an address for mails
insert into customer values
  (1, 'Luis', 'Gonsalves', 'Embraer', 'Av. Brigadeiro 2170', 'Sao Jose', 'SP', 'Brazil', '12227-000', '+55 12 3923-5555', '+55 12 3923-5566', 'luisg@embraer.example', 3),
  (2, 'Leonie', 'Koehler', null, 'Theodor-Heuss-Str. 34', 'Stuttgart', null, 'Germany', '70174', '+49 711 2842222', null, 'Leonie.Koehler@surfeu.example', 5),
  (3, 'Frank', 'Tremblais', '-', '1498 rue Belanger', 'Montreal', 'QC', 'Canada', 'H2G 1A7', '+1 514 721-4711', null, 'ftremblais@mail.example', 3),
  (4, 'Luisa', 'Tremblais', '0', '1498 rue Belanger', 'Montreal', 'QC', 'Canada', 'H2G 1A7', '+1 514 721-4711', null, 'luisa.t@mail.example', 3),
  (5, 'Steve', 'Johnstone', null, '7727B 41 Ave', 'Calgary', 'AB', 'Canada', 'T3B 1Y7', '+1 780 836-9987', null, 'steve@chinook.example', 3),
  (6, 'Walk-in', 'Customer', 'N/A', null, null, null, null, null, 'N/A', 'N/A', 'N/A', 5),
  (7, 'Olga', 'Berg', null, 'Torggata 2', 'Oslo', null, 'Norway', '0181', '0', null, 'N/A', null),
  (8, 'Jan', 'Peters', null, 'Grachtengordel 9', 'Amsterdam', null, 'Netherlands', '1016', null, null, 'jan@mail.example', null);
insert into invoice values
  (1, 1, '2024-01-01', 'Av. Brigadeiro 2170', 'Sao Jose', 'Brazil', '12227-000', 1.98),
  (2, 2, '2024-01-03', 'Theodor-Heuss-Str. 34', 'Stuttgart', 'Germany', '70174', 0.99),
  (3, 3, '2024-02-11', '1498 rue Belanger', 'Montreal', 'Canada', 'H2G 1A7', 2.28),
  (4, 4, '2024-02-11', '1498 rue Belanger', 'Montreal', 'Canada', 'H2G 1A7', 0.99),
  (5, 5, '2024-03-05', '7727B 41 Ave', 'Calgary', 'Canada', 'T3B 1Y7', 1.29),
  (6, 6, '2024-03-06', null, null, null, null, 0.99), (7, 7, '2024-03-07', 'Torggata 2', 'Oslo', 'Norway', '0181', 0.99),
  (8, 1, '2024-04-01', 'Rua Nova 1', 'Lisboa', 'Portugal', '1100', 1.29);
insert into invoice_line values
  (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1), (3, 2, 3, 0.99, 1), (4, 3, 3, 0.99, 1), (5, 3, 5, 1.29, 1), (6, 4, 1, 0.99, 1),
  (7, 5, 5, 1.29, 1), (8, 6, 4, 0.99, 1), (9, 7, 4, 0.99, 1), (10, 8, 5, 1.29, 1);
