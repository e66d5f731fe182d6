create table departments (id int primary key, name varchar(60) not null, head_id int);
create table employees (
  id int primary key, email varchar(120) not null unique, first_name varchar(60) not null, last_name varchar(60) not null,
  department_id int references departments, salary numeric(10, 2)
);
alter table departments add foreign key (head_id) references employees on delete set null;
create table surveys (
  id int primary key, title varchar(80) not null, "createdBy" int not null references employees on delete cascade,
  department_id int references departments, closes_on date
);
create table questions (id int primary key, survey_id int not null references surveys on delete cascade, wording text not null);
create table choices (id int primary key, question_id int not null references questions on delete cascade, label varchar(60) not null);
create table respondents (
  id int primary key, survey_id int not null references surveys on delete cascade, email varchar(120), name varchar(80) not null,
  access_code varchar(20), unique (survey_id, email)
);
create table responses (
  id int primary key, survey_id int not null references surveys on delete cascade,
  respondent_id int not null references respondents on delete cascade, ip_address varchar(45), submitted_at timestamptz
);
create table answers (
  id int primary key, response_id int not null references responses on delete cascade,
  question_id int not null references questions on delete cascade, choice_id int references choices on delete set null, answer_text text not null
);
create table reminders (
  id int primary key, respondent_id int not null references respondents on delete cascade,
  sent_by int references employees on delete set null, body text
);
create table survey_shares (
  survey_id int not null references surveys on delete cascade, employee_id int not null references employees on delete cascade,
  can_edit boolean not null, primary key (survey_id, employee_id)
);
create table comments (
  id int primary key, commentable_type varchar(20) not null, commentable_id int not null,
  employee_id int not null references employees on delete cascade, body text not null
);
create table exports (
  id int primary key, survey_id int not null references surveys on delete cascade,
  requested_by int not null references employees on delete cascade, file_name varchar(80) not null
);
create view survey_results as
  select s.title, r.email, r.name, q.wording, a.answer_text
  from answers a join responses p on p.id = a.response_id join respondents r on r.id = p.respondent_id
  join questions q on q.id = a.question_id join surveys s on s.id = p.survey_id;

insert into departments values (1, 'People', null), (2, 'Sales', null), (3, 'Closed', null);
insert into employees values
  (1, 'hana@firm.example', 'Hana', 'Horn', 1, 5000), (2, 'Ivo@Firm.example', 'Ivo', 'Iten', 2, null), (3, 'jana@firm.example', 'Jana', 'Jost', 2, 4000),
  (4, 'kai@firm.example', 'Kai', 'N/A', null, 0);
update departments set head_id = 1 where id = 1;
update departments set head_id = 3 where id = 2;
insert into surveys values (1, 'How do you like it here?', 1, 1, '2024-06-01'), (2, 'What do you buy?', 2, 2, null), (3, 'Draft', 1, null, null);
insert into questions values (1, 1, 'Rate your boss'), (2, 1, 'Why?'), (3, 2, 'Bread?'), (4, 2, 'Where do you live?');
insert into choices values (1, 1, 'Good'), (2, 1, 'Bad'), (3, 3, 'Yes'), (4, 3, 'No');
-- ivo answers hana's survey, hana her own; lena is in both; three have given no name or no address
insert into respondents values
  (1, 1, 'ivo@firm.example', 'Ivo Iten', 'c-1'), (2, 1, 'Hana@firm.example', 'Hana', 'c-2'), (3, 1, null, 'Anonymous', 'c-3'),
  (4, 2, 'lena@home.example', 'Lena', 'c-4'), (5, 2, 'max@home.example', 'N/A', null), (6, 2, 'N/A', '-', null), (7, 1, 'lena@home.example', 'Lena L.', 'c-7'),
  (8, 2, 'ivo@firm.example', 'Ivo', null);
insert into responses values
  (1, 1, 1, '10.0.0.2', '2024-05-01'), (2, 1, 2, '10.0.0.1', '2024-05-01'), (3, 1, 3, null, '2024-05-02'), (4, 2, 4, '10.9.0.4', '2024-05-03'),
  (5, 2, 5, '10.9.0.4', null), (6, 2, 6, '0', '2024-05-03'), (7, 1, 7, '10.9.0.6', '2024-05-04'), (8, 2, 4, '10.9.0.5', '2024-05-05');
insert into answers values
  (1, 1, 1, 2, 'Bad'), (2, 1, 2, null, 'Hana never listens'), (3, 2, 1, 1, 'Good'), (4, 2, 2, null, 'It is me'), (5, 3, 2, null, 'Ivo is right'),
  (6, 4, 3, 3, 'Yes'), (7, 4, 4, null, 'Main Street 4'), (8, 5, 3, 4, 'No'), (9, 5, 4, null, 'With Lena'), (10, 6, 4, null, '-'), (11, 7, 1, 1, 'Good'),
  (12, 8, 4, null, 'I have moved');
insert into reminders values
  (1, 1, 1, 'Dear Ivo'), (2, 4, 2, 'Dear Lena'), (3, 8, 2, 'Note to self'), (4, 6, null, 'Dear N/A'), (5, 2, null, '-');
insert into survey_shares values (1, 3, false), (2, 1, true), (2, 4, false);
insert into comments values
  (1, 'Survey', 1, 2, 'Too long, Hana'), (2, 'Response', 1, 1, 'Ivo is unhappy'), (3, 'Response', 4, 2, 'Good customer'), (4, 'Survey', 2, 3, 'Nice');
insert into exports values (1, 1, 1, 'people.csv'), (2, 2, 3, 'sales.csv'), (3, 1, 4, 'people-copy.csv');
