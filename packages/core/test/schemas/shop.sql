create table addresses (
  id int primary key, street varchar(80) not null, city varchar(60) not null, zip varchar(12), country char(2) not null
);
create table customers (
  id int primary key, email varchar(120) not null unique, full_name varchar(80), phone varchar(30), date_of_birth date,
  address_id int references addresses, created_at timestamptz not null default '2024-01-01'
);
create table brands (id int primary key, name varchar(60) not null);
create table coupons (code varchar(20) primary key, percent int not null);
create table categories (id int primary key, name varchar(60) not null, parent_id int references categories);
create table products (id int primary key, name varchar(80) not null, category_id int references categories, brand_id int references brands, price numeric(8, 2) not null);
create table product_images (id int primary key, product_id int not null references products on delete cascade, url text not null);
create table couriers (
  id int primary key, name varchar(80) not null, phone_number varchar(30), vehicle varchar(30), active boolean not null default true
);
create table orders (
  id int primary key, customer_id int references customers on delete set null, email varchar(120) not null,
  recipient_name varchar(80), shipping_address_id int references addresses, courier_id int references couriers on delete set null,
  status varchar(20) not null, note text
);
create table order_lines (
  order_id int not null references orders on delete cascade, line int not null, product_id int not null references products,
  quantity int not null, engraving varchar(80), primary key (order_id, line)
);
create table shipments (
  id int primary key, order_id int not null references orders on delete cascade,
  courier_id int references couriers on delete set null, tracking_code varchar(40), signed_by varchar(80)
);
create table reviews (
  id int primary key, product_id int not null references products on delete cascade,
  customer_id int not null references customers on delete cascade, stars int not null, body text
);
create table cards (
  id int primary key, customer_id int not null references customers on delete cascade, card_number varchar(24) not null,
  card_holder varchar(80) not null, brand varchar(20)
);
create table payments (
  id int primary key, order_id int not null references orders on delete cascade, card_id int references cards on delete set null,
  amount numeric(8, 2) not null
);
create table carts (id int primary key, customer_id int references customers on delete cascade, session_token varchar(40));
create table cart_items (
  cart_id int not null references carts on delete cascade, product_id int not null references products, quantity int not null,
  primary key (cart_id, product_id)
);
create view order_overview as
  select o.id, o.email, a.street, a.city, c.name as courier, c.phone_number
  from orders o left join addresses a on a.id = o.shipping_address_id left join couriers c on c.id = o.courier_id;

-- 1 is ann's and bob's home, 2 carl's, 3 dora's, 4 an office that guests and dora order to, 5 a present of carl's, 6 unused
insert into addresses values
  (1, 'Lindenstr. 1', 'Bonn', '53111', 'DE'), (2, 'Rue Haute 2', 'Namur', '5000', 'BE'), (3, 'Kerkweg 3', 'Delft', '2611', 'NL'),
  (4, 'Hafen 4', 'Bremen', '28195', 'DE'), (5, 'Am Markt 5', 'Jena', '07743', 'DE'), (6, '-', 'N/A', null, 'XX');
-- bob has taken over the address that ann had given up
insert into customers values
  (1, 'ann@shop.example', 'Ann Arndt', '+49 228 1', '1980-05-01', 1), (2, 'first@shop.example', 'Bob Arndt', '+49 228 1', null, 1),
  (3, 'Carl@Shop.example', 'Carl Claes', 'N/A', '1975-12-24', 2), (4, 'dora@shop.example', 'Dora Dijk', '-', null, 3),
  (5, 'empty@shop.example', null, null, null, null);
insert into brands values (1, 'Clay'), (2, '-');
insert into coupons values ('WELCOME', 10), ('ANN', 5);
insert into categories values (1, 'All', null), (2, 'Mugs', 1), (3, 'Plates', 1);
insert into products values (1, 'Mug', 2, 1, 9), (2, 'Plate', 3, 1, 12), (3, 'Old plate', null, null, 1);
insert into product_images values (1, 1, 'https://img.example/mug.png'), (2, 2, 'https://img.example/plate.png');
insert into couriers values
  (1, 'Cem Aksoy', '+49 151 11', 'bike', true), (2, 'Lea Wolff', '+49 151 22', 'van', true), (3, 'Agency', '0', null, false);
-- 2 is ann's under the address that is bob's now; 3 to 5 are guests' orders, 5 of dora before she had an account;
-- 8 was carl's until his account went, 9 belongs to bob and is paid for by ann
insert into orders values
  (1, 1, 'ann@shop.example', 'Ann Arndt', 1, 1, 'shipped', 'Ring at Arndt'), (2, 1, 'first@shop.example', null, 1, 2, 'shipped', null),
  (3, null, 'guest@shop.example', 'G. Uest', 4, 1, 'shipped', null), (4, null, 'Guest@Shop.example', 'N/A', null, null, 'canceled', '-'),
  (5, null, 'dora@shop.example', 'Dora Dijk', 4, null, 'new', 'Please hurry'), (6, 3, 'carl@shop.example', 'Emma', 5, 1, 'shipped', 'A present'),
  (7, 4, 'dora@shop.example', null, 3, 2, 'shipped', null), (8, null, 'carl.old@shop.example', 'Carl', 2, null, 'shipped', null),
  (9, 2, 'ann@shop.example', 'Bob Arndt', 1, 2, 'shipped', null), (10, null, 'N/A', null, null, null, 'till', null);
insert into order_lines values
  (1, 1, 1, 2, 'ANN'), (1, 2, 2, 1, null), (2, 1, 3, 1, null), (3, 1, 1, 1, 'G'), (4, 1, 2, 1, null), (5, 1, 2, 6, '-'),
  (6, 1, 1, 1, 'EMMA'), (7, 1, 2, 2, null), (8, 1, 3, 1, null), (9, 1, 1, 1, 'BOB'), (10, 1, 3, 1, null);
insert into shipments values
  (1, 1, 1, 'T-1', 'Bob Arndt'), (2, 2, 2, 'T-2', null), (3, 3, 1, 'T-3', 'Porter'), (4, 6, 1, 'T-4', 'Emma'), (5, 7, 2, 'T-5', '-'),
  (6, 9, null, 'N/A', 'Ann Arndt'), (7, 8, null, null, null);
insert into reviews values
  (1, 1, 1, 5, 'Ann likes it'), (2, 1, 2, 2, 'Ann is wrong'), (3, 2, 4, 4, null), (4, 3, 3, 1, 'Chipped');
insert into cards values
  (1, 1, '4111 1111 1111 1111', 'ANN ARNDT', 'Visa'), (2, 3, '5500 0000 0000 0004', 'CARL CLAES', null), (3, 4, '0', '-', null);
insert into payments values
  (1, 1, 1, 30), (2, 2, 1, 1), (3, 9, 1, 9), (4, 6, 2, 9), (5, 3, null, 9), (6, 7, 3, 24), (7, 5, null, 72), (8, 8, null, 1);
insert into carts values (1, 1, 's-1'), (2, null, 's-2'), (3, 4, null), (4, 5, '0');
insert into cart_items values (1, 2, 1), (2, 1, 1), (3, 1, 4), (4, 3, 1);
