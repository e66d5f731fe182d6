create table workspaces (id int primary key, name varchar(60) not null, domain varchar(60));
create table users (
  id int primary key, workspace_id int not null references workspaces, email varchar(120) unique, phone varchar(30) unique,
  display_name varchar(60) not null, status_text varchar(120), last_seen_at timestamptz
);
create table rooms (
  id int primary key, workspace_id int not null references workspaces, name varchar(60) not null,
  created_by int references users on delete set null
);
create table room_topics (id int primary key, room_id int not null references rooms on delete cascade, topic varchar(120) not null);
create table memberships (
  room_id int not null references rooms on delete cascade, user_id int not null references users on delete cascade,
  role varchar(20) not null, nickname varchar(40), invited_by int references users on delete set null, primary key (room_id, user_id)
);
create table messages (
  id int primary key, room_id int not null references rooms on delete cascade,
  sender_id int not null references users on delete cascade, reply_to_id int references messages on delete set null,
  deleted_by int references users on delete set null, body text
);
create table attachments (id int primary key, message_id int not null references messages on delete cascade, file_name varchar(80) not null, url text);
create table reactions (
  message_id int not null references messages on delete cascade, user_id int not null references users on delete cascade,
  emoji varchar(16) not null, primary key (message_id, user_id, emoji)
);
create table read_receipts (
  message_id int not null references messages on delete cascade, user_id int not null references users on delete cascade,
  read_at timestamptz not null, primary key (message_id, user_id)
);
create table direct_messages (
  id int primary key, sender_id int not null references users on delete cascade,
  recipient_id int not null references users on delete cascade, body text
);
create table direct_files (
  id int primary key, direct_message_id int not null references direct_messages on delete cascade, file_name varchar(80) not null
);
create table devices (
  id int primary key, user_id int not null references users on delete cascade, device_token varchar(80), ip_address varchar(45)
);
create table blocks (
  blocker_id int not null references users on delete cascade, blocked_id int not null references users on delete cascade,
  primary key (blocker_id, blocked_id)
);
create table abuse_reports (
  id int primary key, reporter_id int not null references users, reported_user_id int not null references users,
  message_id int references messages on delete set null, reason text
);
create table emojis (id int primary key, workspace_id int not null references workspaces, code varchar(30) not null, uploaded_by int references users on delete set null);
create table webhooks (id int primary key, room_id int not null references rooms on delete cascade, url text not null);
create view room_members as select r.name as room, u.display_name, u.email from memberships m join rooms r on r.id = m.room_id join users u on u.id = m.user_id;

insert into workspaces values (1, 'Bakers', 'bakers.example'), (2, 'Chess', null);
-- 3 has signed up by telephone alone, 5 by neither
insert into users values
  (1, 1, 'ann@chat.example', '+49 170 1', 'Ann', 'Baking', '2024-05-01'), (2, 1, 'BOB@chat.example', null, 'Bob', '-', '2024-05-02'),
  (3, 1, null, '+49 170 3', 'Carl', null, null), (4, 2, 'dora@chat.example', '+49 170 4', 'N/A', '', '2024-04-01'), (5, 1, null, 'N/A', 'Bot', 'unknown', null);
insert into rooms values (1, 1, 'rye', 1), (2, 1, 'general', null), (3, 2, 'openings', 4);
insert into room_topics values (1, 1, 'All about rye'), (2, 3, 'e4 or d4');
insert into memberships values
  (1, 1, 'owner', 'Annie', null), (1, 2, 'member', null, 1), (1, 3, 'member', '-', 2), (2, 1, 'member', null, null), (2, 5, 'bot', null, 1),
  (3, 4, 'owner', null, null), (3, 1, 'guest', null, 4);
-- bob answers ann, ann answers herself and dora; dora took down what ann wrote
insert into messages values
  (1, 1, 1, null, null, 'Who has starter?'), (2, 1, 2, 1, null, 'I have, Ann'), (3, 1, 1, 1, null, 'Nobody?'), (4, 1, 3, null, null, 'Call me'),
  (5, 2, 5, null, null, 'Ann has joined'), (6, 3, 4, null, null, 'e4'), (7, 3, 1, 6, 4, null), (8, 3, 4, null, null, 'N/A');
insert into attachments values (1, 1, 'ann.jpg', null), (2, 2, 'starter.jpg', 'https://f.example/2'), (3, 6, 'board.png', null);
insert into reactions values (1, 2, 'heart'), (1, 3, 'wave'), (2, 1, 'thanks'), (6, 1, 'wave'), (3, 1, 'smile');
insert into read_receipts values
  (1, 2, '2024-05-01'), (1, 3, '2024-05-01'), (2, 1, '2024-05-01'), (4, 1, '2024-05-02'), (6, 1, '2024-05-03'), (7, 4, '2024-05-03');
-- the fourth is a note of ann's to herself
insert into direct_messages values
  (1, 1, 2, 'Do you have my tin?'), (2, 2, 1, 'No, Carl has'), (3, 2, 3, 'Ann wants her tin'), (4, 1, 1, 'Buy flour'), (5, 4, 4, 'd4 next time'), (6, 5, 1, null);
insert into direct_files values (1, 1, 'tin.jpg'), (2, 3, 'ann-tin.jpg'), (3, 4, 'list.txt');
insert into devices values (1, 1, 'tok-ann', '10.0.0.1'), (2, 2, 'tok-bob', '10.0.0.1'), (3, 3, null, '0'), (4, 4, 'tok-dora', 'unknown');
insert into blocks values (3, 2), (4, 1), (1, 5);
insert into abuse_reports values (1, 2, 3, 4, 'He calls at night'), (2, 4, 1, 7, 'Off topic'), (3, 2, 5, null, 'Spam');
insert into emojis values (1, 1, 'rye', 1), (2, 2, 'rook', null);
insert into webhooks values (1, 2, 'https://hooks.example/bakers');
