create table users (
  id bigint primary key, name varchar(255), sortable_name varchar(255), short_name varchar(255), avatar_image_url varchar(255), time_zone varchar(40),
  workflow_state varchar(20) not null, deleted_at timestamp
);
create table communication_channels (
  id bigint primary key, path varchar(255) not null, path_type varchar(20) not null default 'email', position int,
  user_id bigint not null references users, bounce_count int default 0, confirmation_code varchar(60), workflow_state varchar(20) not null
);
create table pseudonyms (
  id bigint primary key, user_id bigint not null references users, unique_id varchar(255) not null, crypted_password varchar(255),
  sis_user_id varchar(60), current_login_ip varchar(40), last_request_at timestamp, workflow_state varchar(20) not null
);
create table courses (
  id bigint primary key, name varchar(255), course_code varchar(40), uuid varchar(40), workflow_state varchar(20) not null
);
create table enrollments (
  id bigint primary key, user_id bigint not null references users, course_id bigint not null references courses, type varchar(30) not null,
  associated_user_id bigint references users, workflow_state varchar(20) not null, last_activity_at timestamp
);
create table course_invites (
  id bigint primary key, course_id bigint not null references courses, email varchar(255), inviter_id bigint references users,
  accepted_by_id bigint references users, token varchar(40)
);
create table assignments (
  id bigint primary key, title varchar(255), description text, context_type varchar(30) not null, context_id bigint not null, workflow_state varchar(20) not null
);
create table submissions (
  id bigint primary key, assignment_id bigint not null references assignments, user_id bigint not null references users,
  grader_id bigint references users, body text, grade varchar(10), workflow_state varchar(20) not null
);
create table submission_comments (
  id bigint primary key, submission_id bigint not null references submissions on delete cascade, author_id bigint references users, author_name varchar(255),
  comment text, hidden boolean default false
);
create table conversations (id bigint primary key, subject varchar(255), private_hash varchar(60), updated_at timestamp);
create table conversation_participants (
  id bigint primary key, conversation_id bigint not null references conversations, user_id bigint not null references users, label varchar(40),
  workflow_state varchar(20), unique (conversation_id, user_id)
);
create table conversation_messages (
  id bigint primary key, conversation_id bigint not null references conversations, author_id bigint references users, body text, "generated" boolean
);
create table attachments (
  id bigint primary key, context_type varchar(30), context_id bigint, user_id bigint references users, display_name varchar(255), file_state varchar(20)
);
create table page_views (user_id bigint references users, url text, remote_ip varchar(40), user_agent varchar(120), created_at timestamp);
create view active_students as
  select u.id, u.name, e.course_id, c.path as email from users u join enrollments e on e.user_id = u.id and e.type = 'StudentEnrollment'
  left join communication_channels c on c.user_id = u.id and c.path_type = 'email' and c.workflow_state = 'active'
  where u.workflow_state <> 'deleted' and e.workflow_state = 'active';

-- 1 and 2 teach, and 2 studies as well; 5 observes 3; 6 was deleted; 7 is a test student
insert into users values
  (1, 'Nora Nash', 'Nash, Nora', 'Nora', null, 'UTC', 'registered', null), (2, 'Omar Ortiz', 'Ortiz, Omar', 'Omar', 'https://a.example/2.png', null, 'registered', null),
  (3, 'Pia Park', 'Park, Pia', 'Pia', null, 'UTC', 'registered', null), (4, 'Quin Park', 'Park, Quin', 'n/a', null, null, 'registered', null),
  (5, 'Ruth Park', 'Park, Ruth', 'Ruth', null, null, 'registered', null), (6, 'Deleted', 'n/a', null, null, null, 'deleted', '2022-01-01'),
  (7, 'Test Student', null, null, null, null, 'registered', null);
insert into communication_channels values
  (1, 'nora@campus.example', 'email', 1, 1, 0, null, 'active'), (2, 'OMAR@CAMPUS.EXAMPLE', 'email', 1, 2, 0, null, 'active'),
  (3, 'pia@campus.example', 'email', 1, 3, 0, null, 'active'), (4, 'pia.old@mail.example', 'email', 2, 3, 9, null, 'retired'),
  (5, '+15550100', 'sms', 3, 3, 0, '1234', 'active'), (6, '+15550100', 'sms', 2, 5, 0, null, 'unconfirmed'), (7, 'quin@campus.example', 'email', 1, 4, 0, null, 'active'),
  (8, 'Ruth@Home.example', 'email', 1, 5, 0, null, 'active'), (9, 'sid@gone.example', 'email', 1, 6, 3, null, 'retired'), (10, 'n/a', 'email', 1, 7, 0, null, 'retired');
insert into pseudonyms values
  (1, 1, 'nora@campus.example', 'h1', 'T-1', '10.0.0.1', null, 'active'), (2, 2, 'omar', 'h2', 'T-2', null, null, 'active'), (3, 3, 'pia@campus.example', 'h3', 'S-3', '10.0.0.9', null, 'active'),
  (4, 4, 'qpark', 'h4', 'S-4', '10.0.0.9', null, 'active'), (5, 5, 'ruth@home.example', 'h5', null, null, null, 'active'), (6, 6, 'sid-deleted', null, null, null, null, 'deleted'),
  (7, 7, 'teststudent', null, null, null, null, 'active');
insert into courses values (1, 'Botany', 'BOT1', 'u1', 'available'), (2, 'Teaching', 'TEA', 'u2', 'deleted');
insert into enrollments values
  (1, 1, 1, 'TeacherEnrollment', null, 'active', null), (2, 2, 1, 'TaEnrollment', null, 'active', null), (3, 2, 2, 'StudentEnrollment', null, 'completed', null),
  (4, 3, 1, 'StudentEnrollment', null, 'active', '2024-01-01'), (5, 4, 1, 'StudentEnrollment', null, 'active', null), (6, 5, 1, 'ObserverEnrollment', 3, 'active', null),
  (7, 6, 1, 'StudentEnrollment', null, 'deleted', null), (8, 7, 1, 'StudentViewEnrollment', null, 'active', null);
insert into course_invites values
  (1, 1, 'PIA@campus.example', 1, 3, 't1'), (2, 1, 'guest@far.example', 2, null, 't2'), (3, 2, 'omar@campus.example', 1, 2, null), (4, 1, 'n/a', 1, null, 't4'), (5, 1, null, 1, 4, null);
insert into assignments values (1, 'Leaves', null, 'Course', 1, 'published'), (2, 'Essay', 'n/a', 'Course', 2, 'deleted');
insert into submissions values
  (1, 1, 3, 1, 'Pia on leaves', 'A', 'graded'), (2, 1, 4, 2, 'Quin on leaves', 'B', 'graded'), (3, 2, 2, 1, 'Omar writes', null, 'submitted'),
  (4, 1, 6, 1, null, null, 'deleted'), (5, 1, 7, null, 'test', null, 'unsubmitted'), (6, 2, 3, null, 'n/a', null, 'unsubmitted');
insert into submission_comments values
  (1, 1, 1, 'Nora Nash', 'Well done, Pia', false), (2, 1, 3, 'Pia Park', 'Thanks', false), (3, 2, 2, 'Omar Ortiz', 'Copied from Pia?', true), (4, 2, 4, 'Quin Park', 'No!', false),
  (5, 3, null, 'Former', 'ok', false), (6, 5, 1, 'Nora Nash', 'n/a', false);
insert into conversations values (1, 'Leaves', 'ph1', null), (2, null, 'ph2', null), (3, 'Me', null, null), (4, 'Empty', null, null);
insert into conversation_participants values
  (1, 1, 1, null, 'read'), (2, 1, 3, 'starred', 'read'), (3, 2, 3, null, 'read'), (4, 2, 4, null, 'unread'), (5, 2, 2, null, 'archived'), (6, 3, 5, null, null);
insert into conversation_messages values
  (1, 1, 1, 'How is it going?', false), (2, 1, 3, 'Fine', false), (3, 2, 4, 'Give me your essay', false), (4, 2, 3, 'n/a', false), (5, 2, null, 'Omar was added', true), (6, 3, 5, 'Note to self', false);
insert into attachments values
  (1, 'User', 3, 3, 'pia.jpg', 'available'), (2, 'Course', 1, 1, 'syllabus.pdf', 'available'), (3, 'Submission', 1, 3, 'leaves.docx', 'available'), (4, 'Submission', 2, null, 'quin.docx', 'deleted'),
  (5, 'User', 1, null, 'cv.pdf', 'available'), (6, null, null, null, 'n/a', 'deleted'), (7, 'Submission', 2, 2, 'quin-marked.docx', 'available');
insert into page_views values
  (1, '/courses/1', '10.0.0.1', 'n/a', null), (3, '/courses/1', '10.0.0.9', 'Firefox', '2024-01-01'), (4, '/courses/1', '10.0.0.9', null, null), (null, '/login', '10.0.0.9', null, null);
