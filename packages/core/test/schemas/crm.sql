create table users (
  id int primary key, email varchar(120) not null unique, full_name varchar(80) not null, phone varchar(30),
  manager_id int references users on delete set null
);
create table companies (
  id int primary key, name varchar(80) not null, phone varchar(30), street varchar(80), city varchar(60), owner_id int references users,
  primary_contact_id int, created_by int not null references users, updated_by int references users
);
create table lead_sources (id int primary key, label varchar(40) not null);
create table import_batches (id int primary key, file_name varchar(80) not null, created_by int not null references users);
create table contacts (
  id int primary key, first_name varchar(60), last_name varchar(60), email varchar(120), phone varchar(30),
  company_id int references companies on delete set null, owner_id int references users on delete set null,
  lead_source_id int references lead_sources, import_batch_id int references import_batches,
  created_by int not null references users, updated_by int references users
);
alter table companies add foreign key (primary_contact_id) references contacts on delete set null;
create table pipelines (id int primary key, name varchar(40) not null);
create table stages (id int primary key, pipeline_id int not null references pipelines, name varchar(40) not null);
create table currencies (code char(3) primary key, name varchar(40) not null);
create table loss_reasons (id int primary key, label varchar(60) not null);
create table deals (
  id int primary key, title varchar(80) not null, contact_id int not null references contacts on delete cascade,
  company_id int references companies, stage_id int not null references stages, currency char(3) references currencies,
  amount numeric(10, 2), loss_reason_id int references loss_reasons, owner_id int not null references users,
  created_by int not null references users, updated_by int references users
);
create table products (id int primary key, name varchar(60) not null);
create table deal_products (
  deal_id int not null references deals on delete cascade, product_id int not null references products, quantity int not null,
  primary key (deal_id, product_id)
);
create table notes (
  id int primary key, notable_type varchar(20) not null, notable_id int not null, body text not null,
  created_by int not null references users
);
create table activities (
  id int primary key, contact_id int not null references contacts on delete cascade, user_id int references users on delete set null,
  kind varchar(20) not null, subject text
);
create table tags (id int primary key, label varchar(40) not null);
create table contact_tags (
  contact_id int not null references contacts on delete cascade, tag_id int not null references tags, created_by int references users,
  primary key (contact_id, tag_id)
);
create view contact_list as
  select c.first_name, c.last_name, c.email, c.phone, co.name as company, u.email as owner
  from contacts c left join companies co on co.id = c.company_id left join users u on u.id = c.owner_id;

insert into users values
  (1, 'rita@crm.example', 'Rita Roth', '+41 44 1', null), (2, 'sam@crm.example', 'Sam Sand', null, 1), (3, 'Tom@Crm.example', 'Tom Tell', 'N/A', 1),
  (4, 'import@crm.example', 'Import', '-', null);
insert into companies values
  (1, 'Anvil AG', '+41 44 100', 'Gasse 1', 'Zug', 2, null, 1, 2), (2, 'Bolt GmbH', '+41 44 100', 'N/A', null, null, null, 4, null),
  (3, 'One Woman Ltd', '0', 'Weg 3', 'Chur', 3, null, 2, null);
insert into lead_sources values (1, 'Fair'), (2, 'Web');
insert into import_batches values (1, 'fair-2024.csv', 4), (2, 'old.csv', 1);
-- anna and beat share the number of the firm; tom is a contact as well; two are not known by e-mail; 7 is anna at another firm
insert into contacts values
  (1, 'Anna', 'Abt', 'anna@anvil.example', '+41 44 100', 1, 2, 1, 1, 4, 2), (2, 'Beat', 'Boss', 'beat@anvil.example', '+41 44 100', 1, 2, 1, 1, 4, null),
  (3, 'Clea', 'Casutt', 'CLEA@one.example', '0', 3, 3, 2, null, 3, 1), (4, 'Tom', 'Tell', 'tom@crm.example', null, null, 2, null, null, 2, null),
  (5, 'Front', 'Desk', 'N/A', '+41 44 100', 2, 2, null, 1, 4, null), (6, null, null, null, '-', null, null, null, 2, 1, null),
  (7, 'Anna', 'Abt', 'Anna@anvil.example', 'N/A', 2, 3, 2, null, 3, 3);
update companies set primary_contact_id = 1 where id = 1;
update companies set primary_contact_id = 3 where id = 3;
insert into pipelines values (1, 'New business');
insert into stages values (1, 1, 'Open'), (2, 1, 'Won'), (3, 1, 'Lost');
insert into currencies values ('CHF', 'Swiss franc'), ('EUR', 'Euro');
insert into loss_reasons values (1, 'Too dear'), (2, 'N/A');
insert into deals values
  (1, 'Anna: 20 seats', 1, 1, 1, 'CHF', 2000, null, 2, 2, 1), (2, 'Beat: 5 seats', 2, 1, 3, 'CHF', 500, 1, 2, 1, null),
  (3, 'One seat', 3, 3, 2, 'EUR', 100, null, 3, 3, 3), (4, 'Own use', 4, null, 2, null, 0, null, 2, 2, null), (5, '-', 5, 2, 1, null, null, 2, 3, 4, null);
insert into products values (1, 'Seat'), (2, 'Training');
insert into deal_products values (1, 1, 20), (1, 2, 1), (2, 1, 5), (3, 1, 1), (4, 2, 1), (5, 1, 1);
-- the same number means a contact, a deal and a company
insert into notes values
  (1, 'Contact', 1, 'Anna likes tea', 2), (2, 'Deal', 1, 'Anna wants a discount', 2), (3, 'Company', 1, 'Anvil pays late', 1),
  (4, 'Contact', 2, 'Beat decides', 1), (5, 'Deal', 3, 'Clea signed', 3), (6, 'Contact', 4, 'Works here', 2), (7, 'Deal', 2, 'Anna told Beat', 2),
  (8, 'User', 3, 'On leave', 1);
insert into activities values
  (1, 1, 2, 'call', 'Anna called'), (2, 1, null, 'mail', null), (3, 2, 2, 'call', 'About Anna'), (4, 3, 3, 'visit', 'Clea in Chur'),
  (5, 4, 2, 'call', '-'), (6, 5, 3, 'call', 'N/A'), (7, 7, 3, 'mail', 'Anna again');
insert into tags values (1, 'vip'), (2, 'cold');
insert into contact_tags values (1, 1, 2), (2, 1, null), (3, 2, 3), (5, 2, 4);
