/**
 * The tables of the shop, as a shop that has grown for some years has them: keys of several columns, documents inside
 * columns, a reference to itself, one that no foreign key declares, and tables that hold nobody.
 */
export const schema = `
create table suppliers (
  id integer primary key, name text not null, city text not null
);
create table products (
  id integer primary key, supplier_id integer not null references suppliers, sku text not null unique,
  name text not null, price_cents integer not null, details jsonb not null
);
create table addresses (
  id integer primary key, street text not null, postal_code text not null, city text not null, country char(2) not null
);
create table customers (
  id integer primary key, email text not null unique, phone_number text not null, first_name text not null,
  last_name text not null, birth_date date, address_id integer not null references addresses,
  referred_by integer references customers, password_hash text not null, profile jsonb not null,
  created_at timestamptz not null
);
create table payment_cards (
  id integer primary key, customer_id integer not null references customers,
  billing_address_id integer not null references addresses, holder text not null, brand text not null,
  last_digits char(4) not null, gateway_token text not null, expires_on date not null
);
create table orders (
  id integer primary key, customer_id integer not null references customers,
  shipping_address_id integer not null references addresses, payment_card_id integer references payment_cards,
  status text not null, total_cents integer not null, gift_note text, placed_at timestamptz not null
);
create table order_items (
  order_id integer references orders, line smallint, product_id integer not null references products,
  quantity smallint not null, price_cents integer not null, engraving text, primary key (order_id, line)
);
create table order_returns (
  id integer primary key, order_id integer not null, line smallint not null, reason text not null,
  opened_at timestamptz not null, foreign key (order_id, line) references order_items
);
create table shipments (
  id integer primary key, order_id integer not null references orders, carrier text not null,
  tracking_code text not null, recipient_name text not null, signed_by text, delivered_at timestamptz
);
create table product_reviews (
  id integer primary key, product_id integer not null references products,
  customer_id integer not null references customers, stars smallint not null, body text not null,
  published_at timestamptz not null
);
create table wish_lists (
  customer_id integer references customers, product_id integer references products, note text,
  added_at timestamptz not null, primary key (customer_id, product_id)
);
create table shared_lists (
  id integer primary key, title text not null, members jsonb not null, created_at timestamptz not null
);
create table support_threads (
  id integer primary key, customer_id integer not null references customers, order_id integer references orders,
  subject text not null, opened_at timestamptz not null
);
create table support_messages (
  id integer primary key, thread_id integer not null references support_threads,
  author_id integer references customers, body text not null, attachments jsonb not null, sent_at timestamptz not null
);
create table logins (
  id integer primary key, customer_id integer not null references customers, ip_address text not null,
  user_agent text not null, device jsonb, succeeded boolean not null, logged_in_at timestamptz not null
);
create table login_challenges (
  id integer primary key, login_id integer not null references logins, method text not null, sent_to text not null,
  answered_at timestamptz
);
create table visits (
  id uuid primary key, customer_id integer not null references customers, ip_address text not null,
  landing_page text not null, referrer text, started_at timestamptz not null
);
create table visit_events (
  id integer primary key, visit_id uuid not null references visits, kind text not null, page text not null,
  happened_at timestamptz not null
);
create table newsletter_subscriptions (
  email text, list text, source text not null, confirmed_at timestamptz not null, primary key (email, list)
);
create table loyalty_accounts (
  program text, member_number integer, customer_id integer not null references customers, tier text not null,
  joined_on date not null, primary key (program, member_number)
);
create table loyalty_points (
  id integer primary key, program text not null, member_number integer not null, points integer not null,
  reason text not null, booked_at timestamptz not null,
  foreign key (program, member_number) references loyalty_accounts
);
create table audit_log (
  id integer primary key, owner_type text not null, owner_id integer not null, action text not null,
  ip_address text not null, detail jsonb not null, at timestamptz not null
);
create table walk_in_sales (
  id integer primary key, club_card text not null, buyer_name text not null, total_cents integer not null,
  sold_at timestamptz not null
);
create table legacy_imports (
  id integer primary key, line text not null
);
`

/** Made after the rows, which is faster. */
export const indexes = `
create index on products (supplier_id);
create index on customers (lower(btrim(email, E' \\t\\r\\n')));
create index on newsletter_subscriptions (lower(btrim(email, E' \\t\\r\\n')));
create index on customers (phone_number);
create index on customers (address_id);
create index on customers (referred_by);
create index on payment_cards (customer_id);
create index on payment_cards (billing_address_id);
create index on orders (customer_id);
create index on orders (shipping_address_id);
create index on orders (payment_card_id);
create index on order_items (product_id);
create index on order_returns (order_id, line);
create index on shipments (order_id);
create index on product_reviews (product_id);
create index on product_reviews (customer_id);
create index on wish_lists (product_id);
create index on support_threads (customer_id);
create index on support_threads (order_id);
create index on support_messages (thread_id);
create index on support_messages (author_id);
create index on logins (customer_id);
create index on login_challenges (login_id);
create index on visits (customer_id);
create index on visit_events (visit_id);
create index on loyalty_accounts (customer_id);
create index on loyalty_points (program, member_number);
create index on audit_log (owner_type, owner_id);
create index on walk_in_sales (club_card);
`
