create table organizations (id int primary key, name varchar(80) not null, domain varchar(80), billing_email varchar(120));
create table teams (id int primary key, name varchar(60) not null, lead_id int);
create table agents (
  id int primary key, team_id int references teams, name varchar(80) not null, email varchar(120) not null unique,
  signature text, last_login_ip varchar(45)
);
alter table teams add foreign key (lead_id) references agents on delete set null;
create table contacts (
  id int primary key, organization_id int references organizations on delete set null, name varchar(80), email varchar(120),
  phone varchar(30), notes text
);
create table sla_policies (id int primary key, name varchar(60) not null, hours int not null);
create table business_hours (id int primary key, team_id int not null references teams, opens time, closes time);
create table tags (id int primary key, label varchar(40) not null);
create table tickets (
  id int primary key, requester_id int not null references contacts, assignee_id int references agents on delete set null,
  organization_id int references organizations, team_id int references teams, sla_policy_id int references sla_policies,
  subject varchar(120), description text, status varchar(20) not null
);
create table ticket_tags (ticket_id int not null references tickets on delete cascade, tag_id int not null references tags, primary key (ticket_id, tag_id));
create table ticket_watchers (
  ticket_id int not null references tickets on delete cascade, contact_id int not null references contacts on delete cascade,
  primary key (ticket_id, contact_id)
);
create table ticket_comments (
  id int primary key, ticket_id int not null references tickets on delete cascade, author_type varchar(10) not null,
  author_id int not null, body text not null, is_public boolean not null
);
create table attachments (id int primary key, comment_id int not null references ticket_comments on delete cascade, file_name varchar(80) not null);
create table ticket_events (
  id int primary key, ticket_id int not null references tickets on delete cascade, actor_id int references agents on delete set null,
  action varchar(30) not null, detail text
);
create table satisfaction_ratings (
  id int primary key, ticket_id int not null unique references tickets on delete cascade,
  contact_id int not null references contacts on delete cascade, score int, remark text
);
create table canned_responses (id int primary key, agent_id int not null references agents, title varchar(60) not null, body text not null);
create view open_tickets as
  select t.id, t.subject, c.email as requester, a.email as assignee
  from tickets t join contacts c on c.id = t.requester_id left join agents a on a.id = t.assignee_id where t.status <> 'closed';

insert into organizations values (1, 'Mill Ltd', 'mill.example', 'ann@mill.example'), (2, 'Oven AG', null, 'N/A'), (3, 'Solo', 'solo.example', null);
insert into teams values (1, 'First level', null), (2, 'Second level', null);
insert into agents values
  (1, 1, 'Gina Grau', 'gina@desk.example', 'Best wishes, Gina', '10.1.0.1'), (2, 1, 'Omar Oz', 'Omar@Desk.example', null, '10.1.0.2'),
  (3, 2, 'Vera Vu', 'vera@desk.example', '-', null);
update teams set lead_id = 3 where id = 2;
update teams set lead_id = 1 where id = 1;
-- omar asks for help as well; two contacts have no e-mail address of their own
insert into contacts values
  (1, 1, 'Ann Amsel', 'ann@mill.example', '+44 20 1', 'Calls often'), (2, 1, 'Ben Blau', 'ben@mill.example', '+44 20 1', null),
  (3, 2, 'Cleo Clerc', 'cleo@oven.example', 'N/A', '-'), (4, null, 'Omar', 'omar@desk.example', null, null), (5, 2, 'Reception', 'N/A', '+44 20 9', null),
  (6, 3, null, null, '+44 20 9', 'unknown');
insert into sla_policies values (1, 'Gold', 4), (2, 'Iron', 48);
insert into business_hours values (1, 1, '08:00', '18:00'), (2, 2, null, null);
insert into tags values (1, 'invoice'), (2, 'printer');
insert into tickets values
  (1, 1, 1, 1, 1, 1, 'Invoice of Ann', 'My invoice is wrong', 'open'), (2, 1, 2, 1, 1, null, 'Printer', null, 'closed'),
  (3, 2, 1, 1, 2, 2, 'Ben is locked out', 'Ann told me to ask', 'open'), (4, 3, null, 2, null, null, null, 'Hello?', 'open'),
  (5, 4, 2, null, 1, null, 'Own laptop', 'Broken, Omar', 'open'), (6, 5, 3, 2, 2, 1, 'Door', '-', 'closed');
insert into ticket_tags values (1, 1), (2, 2), (3, 1), (6, 2);
insert into ticket_watchers values (1, 2), (3, 1), (4, 3), (6, 3);
-- contact 1 is ann and agent 1 is gina: only the type tells them apart; ben writes under a ticket of ann's
insert into ticket_comments values
  (1, 1, 'Contact', 1, 'It says 100', true), (2, 1, 'Agent', 1, 'Dear Ann, sorry', true), (3, 1, 'Contact', 2, 'Mine as well', true),
  (4, 1, 'System', 1, 'Escalated', false), (5, 2, 'Agent', 2, 'Paper jam', false), (6, 3, 'Agent', 1, 'Try again, Ben', true),
  (7, 4, 'Contact', 3, 'Anybody?', true), (8, 5, 'Contact', 4, 'It is me', true), (9, 5, 'Agent', 2, 'Fixed it myself', false),
  (10, 6, 'Agent', 3, 'Opened the door', true), (11, 5, 'Agent', 3, 'Well done, Omar', true);
insert into attachments values
  (1, 1, 'invoice-ann.pdf'), (2, 2, 'credit-note.pdf'), (3, 3, 'ben.png'), (4, 5, 'jam.jpg'), (5, 8, 'laptop.jpg'), (6, 10, 'door.jpg'), (7, 4, 'log.txt');
insert into ticket_events values
  (1, 1, 1, 'assigned', 'to Gina'), (2, 1, null, 'escalated', null), (3, 2, 2, 'closed', 'N/A'), (4, 3, 1, 'assigned', null), (5, 5, 2, 'opened', 'by Omar'),
  (6, 6, 3, 'closed', null), (7, 4, 1, 'viewed', null);
insert into satisfaction_ratings values (1, 1, 2, 1, 'Ben: slow'), (2, 2, 1, 5, null), (3, 6, 3, 3, 'Fine');
insert into canned_responses values (1, 1, 'Greeting', 'Thank you for writing.'), (2, 3, 'Closing', 'All the best.');
