create table business_entity (business_entity_id int primary key, modified_date date not null);
create table person (
  business_entity_id int primary key references business_entity, person_type char(2) not null, title varchar(8),
  first_name varchar(50) not null, middle_name varchar(50), last_name varchar(50) not null, suffix varchar(10)
);
create table email_address (
  business_entity_id int not null references person, email_address_id int not null, email_address varchar(50),
  primary key (business_entity_id, email_address_id)
);
create table phone_number_type (phone_number_type_id int primary key, name varchar(50) not null);
create table person_phone (
  business_entity_id int not null references person, phone_number varchar(25) not null,
  phone_number_type_id int not null references phone_number_type,
  primary key (business_entity_id, phone_number, phone_number_type_id)
);
create table password (
  business_entity_id int primary key references person, password_hash varchar(128) not null, password_salt varchar(10) not null
);
create table country_region (country_region_code varchar(3) primary key, name varchar(50) not null);
create table state_province (
  state_province_id int primary key, name varchar(50) not null, country_region_code varchar(3) not null references country_region
);
create table address (
  address_id int primary key, address_line1 varchar(60) not null, address_line2 varchar(60), city varchar(30) not null,
  state_province_id int not null references state_province, postal_code varchar(15) not null
);
create table address_type (address_type_id int primary key, name varchar(50) not null);
create table business_entity_address (
  business_entity_id int not null references business_entity, address_id int not null references address,
  address_type_id int not null references address_type, primary key (business_entity_id, address_id, address_type_id)
);
create table employee (
  business_entity_id int primary key references person, national_id_number varchar(15) not null, login_id varchar(256) not null,
  job_title varchar(50) not null, birth_date date, marital_status char(1), gender char(1), hire_date date not null
);
create table store (
  business_entity_id int primary key references business_entity, name varchar(50) not null, sales_person_id int references employee
);
create table customer (
  customer_id int primary key, person_id int references person, store_id int references store, account_number varchar(10) not null
);
create table product_category (product_category_id int primary key, name varchar(50) not null);
create table product (
  product_id int primary key, name varchar(50) not null, product_category_id int references product_category, list_price numeric not null
);
create table product_subcategory (
  product_subcategory_id int primary key, product_category_id int not null references product_category, name varchar(50) not null
);
create table unit_measure (unit_measure_code char(3) primary key, name varchar(50) not null);
create table location (location_id smallint primary key, name varchar(50) not null, cost_rate numeric not null);
create table product_inventory (
  product_id int not null references product, location_id smallint not null references location, shelf varchar(10) not null,
  quantity smallint not null, primary key (product_id, location_id)
);
create table product_review (
  product_review_id int primary key, product_id int not null references product, reviewer_name varchar(50) not null,
  email_address varchar(50) not null, rating int not null check (rating between 1 and 5), comments varchar(3850)
);
create table credit_card (
  credit_card_id int primary key, card_type varchar(50) not null, card_number varchar(25) not null unique, exp_year smallint not null
);
create table person_credit_card (
  business_entity_id int not null references person, credit_card_id int not null references credit_card,
  primary key (business_entity_id, credit_card_id)
);
create table sales_order_header (
  sales_order_id int primary key, customer_id int not null references customer, sales_person_id int references employee,
  ship_to_address_id int not null references address, order_date date not null, comment varchar(128), sub_total numeric not null
);
create table sales_order_detail (
  sales_order_id int not null references sales_order_header on delete cascade, sales_order_detail_id int not null,
  product_id int not null references product, order_qty smallint not null, primary key (sales_order_id, sales_order_detail_id)
);
create view v_individual_customer as
  select p.business_entity_id, p.first_name, p.last_name, e.email_address from person p join email_address e using (business_entity_id);

insert into business_entity select each, '2024-01-01' from generate_series(1, 9) each;
-- 1 to 3 work here, 4 to 7 are customers, 8 and 9 are stores; gigi has two e-mail addresses
insert into person values
  (1, 'EM', null, 'Ken', 'J', 'Sanches', null), (2, 'SP', 'Ms.', 'Terri', 'Lee', 'Duffey', null),
  (3, 'EM', null, 'Gail', null, 'Ericksen', null), (4, 'IN', null, 'Gigi', 'N', 'Mathews', 'Jr.'),
  (5, 'IN', null, 'Diane', 'L', 'Margheims', null), (6, 'SC', 'Mr.', 'Jossef', '-', 'Goldbergs', null),
  (7, 'IN', null, 'Dylan', null, 'Millers', null);
insert into email_address values
  (1, 1, 'ken0@adventure.example'), (2, 2, 'Terri0@adventure.example'), (3, 3, null), (3, 4, 'gail0@adventure.example'),
  (4, 5, 'gigi0@bikes.example'), (4, 6, 'gigi.old@post.example'), (5, 7, 'diane1@bikes.example'), (6, 8, 'jossef0@bikes.example'),
  (7, 9, 'dylan0@bikes.example');
insert into phone_number_type values (1, 'Cell'), (2, 'Home');
insert into person_phone values
  (1, '697-555-0142', 1), (2, '819-555-0175', 1), (2, '819-555-0176', 2), (4, '185-555-0186', 1), (5, '185-555-0186', 2),
  (6, '0', 1), (7, 'N/A', 1);
insert into password values
  (1, 'pbFwXWE99vobT6g=', 'bE3XiWw='), (2, 'bawRVNrZQYQ05qF=', 'EjJaC3U='), (4, 'EytREzMQYXCTyFq=', 'OQxUjcM='), (5, 'jMUkiqSFhiAqR2a=', 'abc12rQ=');
insert into country_region values ('US', 'United States'), ('CA', 'Canada');
insert into state_province values (1, 'Washington', 'US'), (2, 'Alberta', 'CA');
-- gigi and diane live at 4; 5 is jossef's and the store's; dylan has moved from 6 to 7; 8 is empty
insert into address values
  (1, '1970 Napa Ct.', null, 'Bothell', 1, '98011'), (2, '9833 Mt. Dias Blv.', 'N/A', 'Bothell', 1, '98012'),
  (3, '7484 Roundtree Drive', null, 'Bothell', 1, '98013'), (4, '9539 Glenside Dr', 'Apt 4', 'Calgary', 2, 'T2P 2G8'),
  (5, '1226 Shoe St.', '-', 'Bothell', 1, '98014'), (6, '1399 Firestone Drive', null, 'Bothell', 1, '98015'),
  (7, '5672 Hale Dr.', null, 'Bothell', 1, '98016'), (8, '0', null, '0', 1, '0');
insert into address_type values (1, 'Home'), (2, 'Main Office');
insert into business_entity_address values
  (1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1), (5, 4, 1), (6, 5, 1), (7, 6, 1), (7, 7, 1), (8, 5, 2);
insert into employee values
  (1, '295847284', 'adventure\ken0', 'Chief Executive Officer', '1969-01-29', 'S', 'M', '2009-01-14'),
  (2, '245797967', 'adventure\terri0', 'Sales Manager', '1971-08-01', 'M', 'F', '2008-01-31'),
  (3, '695256908', 'adventure\gail0', 'Design Engineer', null, null, null, '2008-01-06');
insert into store values (8, 'Bike World', 2), (9, 'Next-Door Bikes', null);
-- jossef is the contact of a store and buys for himself as well; the third buyer is the store alone; gail buys here too
insert into customer values
  (1, 4, null, 'AW00000001'), (2, 5, null, 'AW00000002'), (3, null, 8, 'AW00000003'), (4, 6, 8, 'AW00000004'),
  (5, 7, null, 'AW00000005'), (6, 3, null, 'AW00000006'), (7, null, null, 'AW00000007'), (8, 6, null, 'AW00000008');
insert into product_category values (1, 'Bikes'), (2, 'Clothing');
insert into product values (1, 'Mountain Pedal', 1, 40.49), (2, 'Road Bike', 1, 1457.99), (3, 'Cap', 2, 8.99);
insert into product_subcategory values (1, 1, 'Mountain Bikes'), (2, 2, 'Caps');
insert into unit_measure values ('CM ', 'Centimeter'), ('KG ', 'Kilogram');
insert into location values (1, 'Tool Crib', 0), (7, 'Finished Goods Storage', 22.5);
insert into product_inventory values (1, 1, 'A', 408), (2, 7, 'B', 12), (3, 7, 'N/A', 4);
insert into product_review values
  (1, 1, 'Gigi', 'gigi.old@post.example', 5, 'I can not believe the performance.'),
  (2, 2, 'David', 'david@graphic.example', 4, 'A little on the heavy side.'), (3, 2, '-', 'Diane1@bikes.example', 2, null);
insert into credit_card values
  (1, 'SuperiorCard', '33332664695310', 2026), (2, 'Vista', '11119775847802', 2027), (3, 'ColonialVoice', '77774915718248', 2025);
insert into person_credit_card values (4, 1), (5, 1), (6, 2), (7, 3);
-- gigi sends 3 to dylan's, whose old flat somebody else's order names as well
insert into sales_order_header values
  (1, 1, 2, 4, '2024-05-01', null, 100), (2, 2, null, 4, '2024-05-02', 'Ring twice', 40.49), (3, 1, null, 7, '2024-05-03', 'A gift', 8.99),
  (4, 3, 2, 5, '2024-05-04', null, 2000), (5, 4, 2, 5, '2024-05-05', null, 1457.99), (6, 5, null, 7, '2024-05-06', null, 8.99),
  (7, 6, 1, 3, '2024-05-07', null, 8.99), (8, 7, null, 6, '2024-05-08', 'N/A', 8.99), (9, 8, null, 5, '2024-05-09', null, 40.49);
insert into sales_order_detail values
  (1, 1, 1, 2), (1, 2, 3, 1), (2, 3, 1, 1), (3, 4, 3, 1), (4, 5, 2, 1), (5, 6, 2, 1), (6, 7, 3, 1), (7, 8, 3, 1), (8, 9, 3, 1), (9, 10, 1, 1);
