create table country (country_id int primary key, country text not null, last_update timestamptz default now());
create table city (city_id int primary key, city text not null, country_id int not null references country on delete restrict);
create table address (
  address_id int primary key, address text not null, address2 text, district text not null,
  city_id int not null references city on delete restrict, postal_code text, phone text not null
);
create table language (language_id int primary key, name char(20) not null);
create table category (category_id int primary key, name text not null);
create table actor (actor_id int primary key, first_name text not null, last_name text not null);
create table film (
  film_id int primary key, title text not null, description text, release_year int,
  language_id int not null references language, original_language_id int references language, rental_rate numeric(4, 2) not null
);
create table film_actor (actor_id int references actor, film_id int references film, primary key (actor_id, film_id));
create table film_category (film_id int references film, category_id int references category, primary key (film_id, category_id));
create table store (store_id int primary key, manager_staff_id int not null unique, address_id int not null references address);
create table staff (
  staff_id int primary key, first_name text not null, last_name text not null,
  address_id int not null references address on delete restrict, email text, store_id int not null references store,
  active boolean not null default true, username text not null, password text, picture bytea
);
alter table store add foreign key (manager_staff_id) references staff deferrable initially deferred;
create table customer (
  customer_id int primary key, store_id int not null references store on delete restrict, first_name text not null,
  last_name text not null, email text, address_id int not null references address on delete restrict,
  activebool boolean not null default true, create_date date not null
);
create table inventory (
  inventory_id int primary key, film_id int not null references film on delete restrict,
  store_id int not null references store on delete restrict
);
create table rental (
  rental_id int primary key, rental_date timestamptz not null, inventory_id int not null references inventory on delete restrict,
  customer_id int not null references customer on delete restrict, return_date timestamptz,
  staff_id int not null references staff on delete restrict, unique (rental_date, inventory_id, customer_id)
);
create table payment (
  payment_id int primary key, customer_id int not null references customer on delete restrict,
  staff_id int not null references staff on delete restrict, rental_id int references rental on delete set null,
  amount numeric(5, 2) not null, payment_date timestamptz not null
);
create view customer_list as
  select customer_id as id, first_name || ' ' || last_name as name, address, phone, city from customer join address using (address_id) join city using (city_id);
create view staff_list as select staff_id as id, first_name, last_name, address, phone from staff join address using (address_id);
create view sales_by_store as
  select store_id, sum(amount) as total from payment join staff using (staff_id) group by store_id;

insert into country values (1, 'Canada'), (2, 'Australia'), (3, 'Japan');
insert into city values (1, 'Lethbridge', 1), (2, 'Woodridge', 2), (3, 'Sasebo', 3);
-- 1 and 2 are the stores', 3 is mike's, 4 jon's; patricia lives above the second store, linda and mike are a couple,
-- barbara and her son share the fifth, the ninth is nobody's any more
insert into address values
  (1, '47 MySakila Drive', null, 'Alberta', 1, null, '-'), (2, '28 MySQL Boulevard', null, 'QLD', 2, '4114', 'N/A'),
  (3, '23 Workhaven Lane', 'c/o Hillyer', 'Alberta', 1, null, '14033335568'),
  (4, '1411 Lillydale Drive', null, 'QLD', 2, null, '6172235589'), (5, '1913 Hanoi Way', '', 'Nagasaki', 3, '35200', '28303384290'),
  (6, '1121 Loja Avenue', '-', 'Nagasaki', 3, '17886', '838635286649'), (7, '692 Joliet Street', null, 'QLD', 2, '83579', '0'),
  (8, '53 Idfu Parkway', null, 'QLD', 2, '42399', '10655648674'), (9, '900 Old Road', null, 'QLD', 2, '1', '1');
insert into language values (1, 'English'), (2, 'Japanese');
insert into category values (1, 'Action'), (2, 'Documentary');
insert into actor values (1, 'Penelope', 'Guinness'), (2, 'Mary', 'Smithe'), (3, 'Linda', 'Willems');
insert into film values
  (1, 'Academy Duck', 'A drama of a duck', 2006, 1, null, 0.99), (2, 'Ace Fishing', 'An epistle', 2006, 1, 2, 4.99),
  (3, 'Adaptation Holes', null, 2006, 2, null, 2.99);
insert into film_actor values (1, 1), (2, 1), (3, 2), (2, 3);
insert into film_category values (1, 2), (2, 1), (3, 1);
begin;
insert into store values (1, 1, 1), (2, 2, 2);
insert into staff values
  (1, 'Mike', 'Hillyer', 3, 'Mike.Hillyer@store.example', 1, true, 'Mike', '8cb2237d', '\x89504e47'),
  (2, 'Jon', 'Stephens', 4, 'jon.stephens@store.example', 2, true, 'Jon', null, null),
  (3, 'Temp', 'N/A', 1, null, 1, false, '-', null, null);
commit;
insert into customer values
  (1, 1, 'Mary', 'Smithe', 'mary.smithe@films.example', 6, true, '2022-02-14'),
  (2, 2, 'Patricia', 'Johnsen', 'patricia.johnsen@films.example', 2, true, '2022-02-14'),
  (3, 1, 'Linda', 'Willems', 'LINDA.WILLEMS@films.example', 3, true, '2022-02-14'),
  (4, 2, 'Barbara', 'Jonas', 'barbara.jonas@films.example', 5, true, '2022-02-14'),
  (5, 2, 'Timmy', 'Jonas', 'timmy.jonas@films.example', 5, false, '2022-02-15'),
  (6, 1, 'Jon', 'Stephens', 'jon.stephens@store.example', 8, true, '2022-03-01'),
  (7, 1, 'Unknown', 'Customer', null, 7, true, '2022-03-02');
insert into inventory values (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 3, 2);
-- linda paid for mary's third rental, and for nothing in particular
insert into rental values
  (1, '2022-05-24', 1, 1, '2022-05-26', 1), (2, '2022-05-25', 3, 1, null, 2), (3, '2022-05-26', 1, 1, '2022-05-28', 1),
  (4, '2022-05-27', 2, 2, '2022-06-01', 2), (5, '2022-05-28', 4, 3, null, 1), (6, '2022-05-29', 3, 4, '2022-05-30', 1),
  (7, '2022-05-30', 4, 5, '2022-05-31', 2), (8, '2022-06-01', 1, 6, null, 2), (9, '2022-06-02', 2, 7, null, 1);
insert into payment values
  (1, 1, 1, 1, 2.99, '2022-05-24'), (2, 1, 2, 2, 0.99, '2022-05-25'), (3, 3, 1, 3, 2.99, '2022-05-28'), (4, 2, 2, 4, 4.99, '2022-05-27'),
  (5, 3, 1, 5, 2.99, '2022-05-28'), (6, 4, 1, 6, 0.99, '2022-05-29'), (7, 5, 2, 7, 0.99, '2022-05-30'), (8, 6, 2, 8, 1.99, '2022-06-01'),
  (9, 3, 1, null, 5.00, '2022-06-03'), (10, 7, 1, 9, 0.99, '2022-06-02');
