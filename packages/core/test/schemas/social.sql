create table members (
  id int primary key, email varchar(120) not null unique, handle varchar(40) not null unique, full_name varchar(80),
  birth_date date, inviter_id int references members on delete set null
);
create table friendships (
  id int primary key, requester_id int not null references members on delete cascade,
  addressee_id int not null references members on delete cascade, message text, unique (requester_id, addressee_id)
);
create table invitations (
  id int primary key, inviter_id int not null references members on delete cascade, email varchar(120) not null,
  accepted_by_id int references members on delete set null, token varchar(40) not null, greeting text
);
create table groups (id int primary key, name varchar(60) not null, owner_id int references members on delete set null);
create table group_memberships (
  group_id int not null references groups on delete cascade, member_id int not null references members on delete cascade,
  role varchar(20), primary key (group_id, member_id)
);
create table events (id int primary key, group_id int not null references groups on delete cascade, title varchar(80) not null, created_by int references members on delete set null);
create table event_rsvps (
  event_id int not null references events on delete cascade, member_id int not null references members on delete cascade,
  answer varchar(10) not null, remark text, primary key (event_id, member_id)
);
create table posts (
  id int primary key, author_id int not null references members on delete cascade, group_id int references groups on delete set null,
  body text not null
);
create table post_likes (
  post_id int not null references posts on delete cascade, member_id int not null references members on delete cascade,
  primary key (post_id, member_id)
);
create table mentions (
  post_id int not null references posts on delete cascade, member_id int not null references members on delete cascade,
  primary key (post_id, member_id)
);
create table photos (id int primary key, member_id int not null references members on delete cascade, url text not null, caption text);
create table photo_tags (
  photo_id int not null references photos on delete cascade, member_id int not null references members on delete cascade,
  tagged_by int references members on delete set null, label varchar(40), primary key (photo_id, member_id)
);
create table interests (id int primary key, label varchar(40) not null);
create table member_interests (
  member_id int not null references members on delete cascade, interest_id int not null references interests,
  primary key (member_id, interest_id)
);
create view member_directory as
  select m.handle, m.full_name, m.email, i.handle as invited_by from members m left join members i on i.id = m.inviter_id;

-- ann has brought in everybody else, emil only through carl
insert into members values
  (1, 'ann@net.example', 'ann', 'Ann Ahlers', '1990-01-01', null), (2, 'bob@net.example', 'bob', 'Bob Berg', null, 1),
  (3, 'Carl@Net.example', 'carl', null, '1985-07-07', 1), (4, 'dora@net.example', 'dora', 'Dora Dahl', null, 1), (5, 'emil@net.example', 'emil', 'N/A', null, 3);
insert into friendships values
  (1, 1, 2, 'Hello Bob'), (2, 3, 1, 'Hello Ann'), (3, 2, 3, null), (4, 5, 2, '-');
-- carl accepted what had gone to an address that he does not use here; the fourth and the fifth are still open
insert into invitations values
  (1, 1, 'bob@net.example', 2, 'tok-1', 'Come in, Bob'), (2, 1, 'carl.private@post.example', 3, 'tok-2', 'Come in, Carl'),
  (3, 1, 'DORA@net.example', null, 'tok-3', 'Come in, Dora'), (4, 2, 'fred@post.example', null, 'tok-4', 'Fred, come'),
  (5, 3, 'fred@post.example', null, 'tok-5', null), (6, 3, 'unknown', null, 'tok-6', '-');
insert into groups values (1, 'Bakers', 1), (2, 'Chess', 3), (3, 'Empty', null);
insert into group_memberships values (1, 1, 'owner'), (1, 2, 'member'), (2, 3, 'owner'), (2, 1, null), (1, 4, 'member');
insert into events values (1, 1, 'Baking day', 1), (2, 2, 'Open tournament', 5);
insert into event_rsvps values (1, 2, 'yes', 'with Ann'), (1, 1, 'yes', null), (2, 5, 'no', '-'), (2, 1, 'maybe', 'if Carl comes');
insert into posts values
  (1, 1, 1, 'Bob, your rye is fine'), (2, 2, 1, 'Thank you, Ann'), (3, 3, null, 'e4'), (4, 1, null, 'Good night'), (5, 5, 2, 'Hello');
insert into post_likes values (1, 2), (1, 3), (2, 1), (3, 5), (5, 3);
insert into mentions values (1, 2), (2, 1), (5, 2);
insert into photos values (1, 1, 'https://p.example/1.jpg', 'Rye by Bob'), (2, 3, 'https://p.example/2.jpg', null), (3, 4, 'https://p.example/3.jpg', '-');
insert into photo_tags values (1, 2, 1, 'Bob'), (1, 1, 1, 'Ann'), (2, 1, 3, 'Ann'), (2, 5, null, 'N/A'), (3, 4, 2, 'Dora');
insert into interests values (1, 'Bread'), (2, 'Chess'), (3, 'Nothing');
insert into member_interests values (1, 1), (1, 2), (2, 1), (3, 2), (5, 2);
