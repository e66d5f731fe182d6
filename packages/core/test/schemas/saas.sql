create table plans (id int primary key, name varchar(40) not null, price numeric(8, 2) not null);
create table organizations (
  id int primary key, name varchar(80) not null, slug varchar(40) not null unique, billing_email varchar(120), billing_contact_id int
);
create table users (
  id int primary key, email varchar(120) not null unique, full_name varchar(80), password_digest varchar(80) not null,
  default_organization_id int references organizations on delete set null
);
alter table organizations add foreign key (billing_contact_id) references users on delete set null;
create table organization_settings (
  organization_id int primary key references organizations on delete cascade, support_email varchar(120), locale varchar(10),
  updated_by int references users on delete set null
);
create table memberships (
  organization_id int not null references organizations on delete cascade, user_id int not null references users on delete cascade,
  role varchar(20) not null, title varchar(60), invited_by int references users on delete set null,
  primary key (organization_id, user_id)
);
create table seats (
  id int primary key, organization_id int not null, user_id int not null, label varchar(60),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create table invitations (
  id int primary key, organization_id int not null references organizations on delete cascade, email varchar(120) not null,
  invited_by int references users on delete set null, greeting text
);
create table projects (
  id int primary key, organization_id int not null references organizations on delete cascade, name varchar(80) not null,
  owner_id int references users on delete set null
);
create table tasks (
  id int primary key, project_id int not null references projects on delete cascade, creator_id int not null references users,
  assignee_id int references users on delete set null, title varchar(120) not null
);
create table task_comments (
  id int primary key, task_id int not null references tasks on delete cascade, user_id int not null references users on delete cascade,
  body text not null
);
create table user_settings (
  user_id int primary key references users on delete cascade, theme varchar(20), reply_to varchar(120), home_city varchar(60)
);
create table sessions (
  id int primary key, user_id int not null references users on delete cascade, ip_address varchar(45), user_agent varchar(200)
);
create table oauth_accounts (
  id int primary key, user_id int not null references users on delete cascade, provider varchar(20) not null, email varchar(120)
);
create table api_keys (
  id int primary key, organization_id int not null references organizations on delete cascade,
  user_id int not null references users on delete cascade, name varchar(40) not null, key_hash varchar(80)
);
create table audit_logs (
  id int primary key, organization_id int references organizations, user_id int, entity_type varchar(20), entity_id int,
  action varchar(40) not null, ip_address varchar(45), detail text
);
create table subscriptions (
  id int primary key, organization_id int not null references organizations on delete cascade, plan_id int not null references plans
);
create table invoices (
  id int primary key, organization_id int not null references organizations, billing_email varchar(120), total numeric(10, 2) not null
);
create view user_directory as
  select u.email, u.full_name, o.name as organization, m.role
  from memberships m join users u on u.id = m.user_id join organizations o on o.id = m.organization_id;

insert into plans values (1, 'Free', 0), (2, 'Team', 20);
insert into organizations values (1, 'Acorn', 'acorn', 'ann@saas.example', null), (2, 'Birch', 'birch', 'billing@birch.example', null), (3, 'Cedar', 'cedar', 'N/A', null);
insert into users values
  (1, 'ann@saas.example', 'Ann Alder', '$2a$ann', 1), (2, 'Bob@Saas.example', 'Bob Bay', '$2a$bob', 1), (3, 'carl@saas.example', null, '$2a$carl', 2),
  (4, 'dora@saas.example', 'N/A', '$2a$dora', null);
update organizations set billing_contact_id = 1 where id = 1;
update organizations set billing_contact_id = 3 where id = 2;
insert into organization_settings values (1, 'ann@saas.example', 'de', 1), (2, 'help@birch.example', null, 3), (3, '-', 'en', null);
insert into memberships values
  (1, 1, 'owner', 'CEO', null), (1, 2, 'member', 'Baker', 1), (2, 3, 'owner', null, null), (2, 1, 'guest', '-', 3), (1, 4, 'member', null, 2);
insert into seats values (1, 1, 1, 'Ann''s seat'), (2, 1, 2, null), (3, 2, 3, 'N/A'), (4, 2, 1, 'Guest Ann');
-- bob was asked in under another address; erin has not come yet
insert into invitations values
  (1, 1, 'bob@saas.example', 1, 'Bob, join us'), (2, 2, 'ANN@saas.example', 3, null), (3, 1, 'erin@post.example', 1, 'Erin, join us'),
  (4, 2, 'erin@post.example', 3, '-'), (5, 3, 'unknown', null, null);
insert into projects values (1, 1, 'Bakery', 1), (2, 1, 'Website', 2), (3, 2, 'Forest', null), (4, 3, 'Empty', null);
insert into tasks values
  (1, 1, 1, 2, 'Bob: order flour'), (2, 1, 2, 1, 'Ask Ann for money'), (3, 2, 1, null, 'New logo'), (4, 3, 3, 1, 'Plant'), (5, 3, 1, 3, 'Water'), (6, 2, 4, 4, '-');
insert into task_comments values
  (1, 1, 2, 'Done, Ann'), (2, 1, 1, 'Thank you, Bob'), (3, 2, 1, 'How much?'), (4, 4, 3, 'Where?'), (5, 6, 2, 'N/A'), (6, 5, 1, 'Twice a day');
insert into user_settings values (1, 'dark', 'ann.reply@post.example', 'Bonn'), (2, null, null, null), (3, 'light', 'N/A', '-');
insert into sessions values (1, 1, '10.2.0.1', 'Firefox'), (2, 1, '10.2.0.9', null), (3, 2, '10.2.0.1', 'Safari'), (4, 4, '0', 'unknown');
-- carl has linked an account whose address is ann's; ann's own is under one that she has given up
insert into oauth_accounts values (1, 1, 'github', 'ann.old@post.example'), (2, 3, 'github', 'ann@saas.example'), (3, 2, 'google', null);
insert into api_keys values (1, 1, 1, 'deploy', 'h-1'), (2, 2, 3, 'backup', 'h-2'), (3, 2, 1, 'guest', null);
-- what was done to an account is told of who did it; 0 is the system, 99 is somebody who has gone
insert into audit_logs values
  (1, 1, 1, 'User', 2, 'invite', '10.2.0.1', 'Ann invited Bob'), (2, 1, 2, 'User', 1, 'rename', '10.2.0.1', 'Bob renamed Ann'),
  (3, 2, 3, 'Task', 4, 'create', null, null), (4, 1, 0, 'User', 1, 'lock', null, 'Ann was locked'), (5, null, null, null, null, 'start', null, '-'),
  (6, 1, 99, 'Task', 1, 'create', '10.2.0.7', 'N/A'), (7, 2, 1, 'Organization', 1, 'login', '10.2.0.9', null);
insert into subscriptions values (1, 1, 2), (2, 2, 1);
insert into invoices values (1, 1, 'ann@saas.example', 20), (2, 1, 'bob@saas.example', 20), (3, 2, null, 0);
