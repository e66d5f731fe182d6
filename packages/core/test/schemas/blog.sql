create table users (
  id uuid primary key, email varchar(255) not null unique, username varchar(60) not null unique, password_hash text not null,
  bio text, image text, created_at timestamptz not null default '2024-01-01'
);
create table articles (
  id uuid primary key, slug varchar(120) not null unique, title text not null, description text, body text not null,
  author_id uuid not null references users on delete cascade
);
create table tags (id int primary key, name varchar(40) not null unique);
create table article_tags (
  article_id uuid not null references articles on delete cascade, tag_id int not null references tags on delete cascade,
  primary key (article_id, tag_id)
);
create table comments (
  id int primary key, article_id uuid not null references articles on delete cascade,
  author_id uuid not null references users on delete cascade, parent_id int references comments on delete set null,
  hidden_by uuid references users on delete set null, body text not null
);
create table favorites (
  user_id uuid not null references users on delete cascade, article_id uuid not null references articles on delete cascade,
  primary key (user_id, article_id)
);
create table follows (
  follower_id uuid not null references users on delete cascade, followed_id uuid not null references users on delete cascade,
  primary key (follower_id, followed_id)
);
create table reactions (
  id int primary key, reactable_type varchar(20) not null, reactable_id text not null,
  user_id uuid not null references users on delete cascade, emoji varchar(16) not null
);
create table images (
  id int primary key, imageable_type varchar(20) not null, imageable_id uuid not null, url text not null, alt text
);
create table newsletter_subscribers (id int primary key, email varchar(255) not null, name varchar(80), confirmed boolean not null);
create view article_feed as
  select a.slug, a.title, u.username, u.email, count(f.user_id) as favorites
  from articles a join users u on u.id = a.author_id left join favorites f on f.article_id = a.id group by a.slug, a.title, u.username, u.email;

-- 1 ann, 2 bob, 3 carl, 4 dora, 5 the account that deleted authors fall to
insert into users values
  ('00000000-0000-4000-8000-000000000001', 'ann@blog.example', 'ann', '$2b$10$ann', 'I write about bread.', 'https://img.example/ann.png'),
  ('00000000-0000-4000-8000-000000000002', 'Bob@Blog.example', 'bob', '$2b$10$bob', null, null),
  ('00000000-0000-4000-8000-000000000003', 'carl@blog.example', 'carl', '$2b$10$carl', '-', 'N/A'),
  ('00000000-0000-4000-8000-000000000004', 'dora@blog.example', 'dora', '$2b$10$dora', '', null),
  ('00000000-0000-4000-8000-000000000005', 'noreply@blog.example', 'ghost', '0', 'unknown', null);
insert into articles values
  ('00000000-0000-4000-9000-000000000001', 'rye', 'Rye', 'On rye', 'Ann bakes rye.', '00000000-0000-4000-8000-000000000001'),
  ('00000000-0000-4000-9000-000000000002', 'spelt', 'Spelt', null, 'Ann bakes spelt.', '00000000-0000-4000-8000-000000000001'),
  ('00000000-0000-4000-9000-000000000003', 'chess', 'Chess', 'On chess', 'Bob loses to Ann.', '00000000-0000-4000-8000-000000000002'),
  ('00000000-0000-4000-9000-000000000004', 'old', 'Old', null, 'By somebody who left.', '00000000-0000-4000-8000-000000000005');
insert into tags values (1, 'bread'), (2, 'games'), (3, 'unused');
insert into article_tags values
  ('00000000-0000-4000-9000-000000000001', 1), ('00000000-0000-4000-9000-000000000002', 1), ('00000000-0000-4000-9000-000000000003', 2);
-- dora answers carl, who answers ann, under an article of ann's; bob hid what dora wrote
insert into comments values
  (1, '00000000-0000-4000-9000-000000000001', '00000000-0000-4000-8000-000000000001', null, null, 'Ask me anything.'),
  (2, '00000000-0000-4000-9000-000000000001', '00000000-0000-4000-8000-000000000003', 1, null, 'How long in the oven?'),
  (3, '00000000-0000-4000-9000-000000000001', '00000000-0000-4000-8000-000000000004', 2, '00000000-0000-4000-8000-000000000002', 'Rubbish.'),
  (4, '00000000-0000-4000-9000-000000000003', '00000000-0000-4000-8000-000000000001', null, null, 'Again?'),
  (5, '00000000-0000-4000-9000-000000000003', '00000000-0000-4000-8000-000000000002', null, null, 'Any time.'),
  (6, '00000000-0000-4000-9000-000000000002', '00000000-0000-4000-8000-000000000002', null, null, 'Too dense.'),
  (7, '00000000-0000-4000-9000-000000000004', '00000000-0000-4000-8000-000000000004', null, '00000000-0000-4000-8000-000000000001', 'Who was this?');
insert into favorites values
  ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-9000-000000000001'), ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-9000-000000000001'),
  ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-9000-000000000001'), ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-9000-000000000003');
insert into follows values
  ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001'), ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'),
  ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000001');
insert into reactions values
  (1, 'Article', '00000000-0000-4000-9000-000000000001', '00000000-0000-4000-8000-000000000002', 'heart'),
  (2, 'Comment', '1', '00000000-0000-4000-8000-000000000003', 'smile'), (3, 'Comment', '4', '00000000-0000-4000-8000-000000000002', 'tear'),
  (4, 'Comment', '2', '00000000-0000-4000-8000-000000000001', 'wave'), (5, 'Article', '0', '00000000-0000-4000-8000-000000000004', 'heart');
-- the fourth is of an article whose key is that of a user
insert into articles values
  ('00000000-0000-4000-8000-000000000003', 'odd', 'Odd', null, 'Its key is carl''s.', '00000000-0000-4000-8000-000000000002');
insert into images values
  (1, 'User', '00000000-0000-4000-8000-000000000001', 'https://img.example/ann-big.png', 'Ann'),
  (2, 'Article', '00000000-0000-4000-9000-000000000001', 'https://img.example/rye.png', null),
  (3, 'User', '00000000-0000-4000-8000-000000000003', 'https://img.example/carl.png', 'N/A'),
  (4, 'Article', '00000000-0000-4000-8000-000000000003', 'https://img.example/odd.png', 'A board'),
  (5, 'Tag', '00000000-0000-4000-8000-000000000001', 'https://img.example/tag.png', '-');
insert into newsletter_subscribers values
  (1, 'ANN@blog.example', 'N/A', true), (2, 'eve@post.example', 'Eve', true), (3, 'eve@post.example', null, false), (4, 'N/A', '-', false),
  (5, 'bob.private@post.example', 'Bob', true);
