create table categories (category_id int primary key, category_name varchar(15) not null, description text);
create table suppliers (
  supplier_id int primary key, company_name varchar(40) not null, contact_name varchar(30), contact_title varchar(30),
  address varchar(60), city varchar(15), postal_code varchar(10), country varchar(15), phone varchar(24), home_page text
);
create table products (
  product_id int primary key, product_name varchar(40) not null, supplier_id int references suppliers,
  category_id int references categories, unit_price real, discontinued boolean not null
);
create table region (region_id int primary key, region_description varchar(60) not null);
create table territories (
  territory_id varchar(20) primary key, territory_description varchar(60) not null, region_id int not null references region
);
create table shippers (shipper_id int primary key, company_name varchar(40) not null, phone varchar(24));
create table customers (
  customer_id char(5) primary key, company_name varchar(40) not null, contact_name varchar(30), contact_title varchar(30),
  address varchar(60), city varchar(15), region varchar(15), postal_code varchar(10), country varchar(15), phone varchar(24),
  fax varchar(24)
);
create table customer_demographics (customer_type_id char(5) primary key, customer_desc text);
create table customer_customer_demo (
  customer_id char(5) not null references customers, customer_type_id char(5) not null references customer_demographics,
  primary key (customer_id, customer_type_id)
);
create table employees (
  employee_id int primary key, last_name varchar(20) not null, first_name varchar(10) not null, title varchar(30),
  title_of_courtesy varchar(25), birth_date date, hire_date date, address varchar(60), city varchar(15), postal_code varchar(10),
  country varchar(15), home_phone varchar(24), extension varchar(4), photo bytea, notes text,
  reports_to int references employees
);
create table employee_territories (
  employee_id int not null references employees, territory_id varchar(20) not null references territories,
  primary key (employee_id, territory_id)
);
create table orders (
  order_id int primary key, customer_id char(5) references customers, employee_id int references employees,
  order_date date, shipped_date date, ship_via int references shippers, freight real, ship_name varchar(40),
  ship_address varchar(60), ship_city varchar(15), ship_postal_code varchar(10), ship_country varchar(15)
);
create table order_details (
  order_id int not null references orders, product_id int not null references products, unit_price real not null,
  quantity smallint not null, discount real not null, primary key (order_id, product_id)
);
create table us_states (state_id int primary key, state_name varchar(100), state_abbr varchar(2));
create view customer_and_suppliers_by_city as
  select city, company_name, contact_name, 'Customers' as relationship from customers
  union all select city, company_name, contact_name, 'Suppliers' from suppliers;
create view order_subtotals as
  select order_id, sum(unit_price * quantity * (1 - discount)) as subtotal from order_details group by order_id;

insert into categories values (1, 'Beverages', 'Soft drinks, coffees'), (2, 'Condiments', 'Sauces'), (4, 'Dairy', 'Cheeses');
insert into suppliers values
  (1, 'Exotic Liquids Ltd', 'Charlotte Coop', 'Purchasing', '49 Gilbert St.', 'London', 'EC1 4SD', 'UK', '(171) 555-2222', null),
  (2, 'Bayou Delights', 'Shelly Burk', 'Orders', 'P.O. Box 78934', 'New Orleans', '70117', 'USA', '(100) 555-4822', '#'),
  (3, 'Blauer See', null, null, 'Forsterstr. 57', 'Mannheim', '68306', 'Germany', '0621-08460', null);
insert into products values
  (1, 'Chai', 1, 1, 18, false), (2, 'Chang', 1, 1, 19, false), (4, 'Cajun Seasoning', 2, 2, 22, false),
  (11, 'Goat Cheese', null, 4, 21, true);
insert into region values (1, 'Eastern'), (2, 'Western');
insert into territories values ('01581', 'Westboro', 1), ('01730', 'Bedford', 1), ('98004', 'Bellevue', 2);
insert into shippers values (1, 'Speedy Parcels', '(503) 555-9831'), (2, 'United Parcels', '(503) 555-3199'), (3, 'Pick-up', '-');
-- ana runs two firms under one number; blaue see answers the phone of the supplier of that name; one has no number
insert into customers values
  ('ALFKI', 'Futterkrippe', 'Maria Andersen', 'Sales Representative', 'Obere Str. 57', 'Berlin', null, '12209', 'Germany', '030-0074321', '030-0076545'),
  ('ANATR', 'Ana Trujo Helados', 'Ana Trujo', 'Owner', 'Avda. de la Constitucion 2222', 'Mexico D.F.', null, '05021', 'Mexico', '(5) 555-4729', '(5) 555-3745'),
  ('ANATX', 'Ana Trujo Export', 'Ana Trujo', 'Owner', 'Avda. de la Constitucion 2222', 'Mexico D.F.', null, '05021', 'Mexico', '(5) 555-4729', 'N/A'),
  ('BLAUS', 'Blaue See Delikatessen', 'Hanna Moss', 'Sales Representative', 'Forsterstr. 57', 'Mannheim', null, '68306', 'Germany', '0621-08460', null),
  ('BOLID', 'Bolido Comidas', 'Martin Summer', 'Owner', 'C/ Araquil, 67', 'Madrid', null, '28023', 'Spain', '(91) 555 22 82', '-'),
  ('PARIS', 'Specialites de Paris', 'Marie Bertin', 'Owner', '265 boul. Charonne', 'Paris', null, '75012', 'France', null, null);
insert into customer_demographics values ('WHOLE', 'Wholesale'), ('RETAI', 'Retail');
insert into customer_customer_demo values ('ALFKI', 'RETAI'), ('ANATR', 'RETAI'), ('ANATX', 'WHOLE'), ('PARIS', 'RETAI');
insert into employees values
  (1, 'Davola', 'Nancy', 'Sales Representative', 'Ms.', '1968-12-08', '2012-05-01', '507 20th Ave. E.', 'Seattle', '98122', 'USA', '(206) 555-9857', '5467', null, 'Knows everybody.', 2),
  (2, 'Fullers', 'Andrew', 'Vice President', 'Dr.', '1962-02-19', '2012-08-14', '908 W. Capital Way', 'Tacoma', '98401', 'USA', '(206) 555-9482', '3457', '\x89504e47', null, null),
  (3, 'Leverlin', 'Janet', 'Sales Representative', 'Ms.', '1973-08-30', '2012-04-01', '722 Moss Bay Blvd.', 'Kirkland', '98033', 'USA', '(206) 555-3412', '3355', null, null, 2),
  (4, 'Callahane', 'Laura', 'Inside Sales', null, null, null, null, null, null, null, 'N/A', null, null, 'Left.', 2);
insert into employee_territories values (1, '01581'), (1, '01730'), (3, '98004');
-- 10253 goes to a friend of maria's, 10254 and 10255 were sold over the counter
insert into orders values
  (10248, 'ALFKI', 1, '2024-07-04', '2024-07-16', 3, 32.38, 'Futterkrippe', 'Obere Str. 57', 'Berlin', '12209', 'Germany'),
  (10249, 'ANATR', 3, '2024-07-05', null, 1, 11.61, 'Ana Trujo Helados', 'Avda. 2222', 'Mexico D.F.', '05021', 'Mexico'),
  (10250, 'ANATX', 1, '2024-07-08', '2024-07-12', 2, 65.83, 'Ana Trujo Export', 'Avda. 2222', 'Mexico D.F.', '05021', 'Mexico'),
  (10251, 'BLAUS', null, '2024-07-08', null, null, 41.34, 'Blaue See', 'Forsterstr. 57', 'Mannheim', '68306', 'Germany'),
  (10252, 'PARIS', 3, '2024-07-09', '2024-07-11', 2, 51.3, 'Marie Bertin', '265 boul. Charonne', 'Paris', '75012', 'France'),
  (10253, 'ALFKI', 1, '2024-07-10', null, 2, 58.17, 'Martin Summer', 'C/ Araquil, 67', 'Madrid', '28023', 'Spain'),
  (10254, null, 1, '2024-07-11', null, 3, 0, 'N/A', '-', null, null, null),
  (10255, null, null, '2024-07-12', null, null, 0, null, null, null, null, null);
insert into order_details values
  (10248, 1, 14, 12, 0), (10248, 4, 9.8, 10, 0), (10249, 2, 18.6, 9, 0), (10250, 2, 7.7, 10, 0.15), (10251, 11, 16.8, 6, 0.05),
  (10252, 1, 64.8, 40, 0.05), (10253, 4, 2, 20, 0), (10254, 1, 18, 1, 0), (10255, 11, 21, 1, 0);
insert into us_states values (1, 'Alabama', 'AL'), (2, 'Alaska', 'AK'), (47, 'Washington', 'WA');
