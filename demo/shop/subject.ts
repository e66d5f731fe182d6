/** A customer like many others, with the stories of a real life told in her rows. */
export const subject = {
  id: 42,
  partner: 41,
  email: 'mara.lind@example.org',
  phoneNumber: '+49 30 1555042',
  formerEmail: 'mara@old-mail.example',
}

/**
 * Her partner has the same telephone and address; she subscribed before she had an account, under another address;
 * two customers came on her recommendation; she has written in a thread of somebody else's.
 */
export const subjectRows = `
update customers set first_name = 'Jonas', last_name = 'Lind', email = 'jonas.lind@example.org', phone_number = '${subject.phoneNumber}'
  where id = ${subject.partner};
update customers set first_name = 'Mara', last_name = 'Lind', email = '${subject.email}', phone_number = '${subject.phoneNumber}',
  referred_by = null where id = ${subject.id};
update customers set referred_by = ${subject.id} where id in (43, 57);
update shipments set recipient_name = 'Mara Lind' where order_id in (select id from orders where customer_id = ${subject.id});
update payment_cards set holder = 'Mara Lind' where customer_id = ${subject.id};
update newsletter_subscriptions set email = '${subject.email}' where email like '%.${subject.id}@example.org';
insert into newsletter_subscriptions values
  ('${subject.email}', 'invitations', 'checkout', '2022-03-04 10:00:00+00'),
  ('${subject.formerEmail}', 'invitations', 'fair', '2018-09-15 12:30:00+00');
insert into loyalty_accounts values ('family', 900042, ${subject.id}, 'gold', '2020-02-02');
insert into loyalty_points values
  (900001, 'family', 900042, 120, 'order', '2022-03-04 10:00:00+00'), (900002, 'family', 900042, 50, 'birthday', '2022-05-06 00:00:00+00');
insert into shared_lists values (900001, 'Presents for Oma', '[
  {"email": "${subject.email}", "first_name": "Mara", "wants": ["teapot"]},
  {"email": "jonas.lind@example.org", "first_name": "Jonas", "wants": ["tent", "clock"]}]', '2022-11-01 08:00:00+00');
insert into support_threads values (900001, 57, null, 'Is the kettle quiet?', '2022-06-01 09:00:00+00');
insert into support_messages values
  (900001, 900001, 57, 'Does anybody know whether it is really quiet?', '[]', '2022-06-01 09:00:00+00'),
  (900002, 900001, ${subject.id}, 'I have it: it hums, but softly.', '[]', '2022-06-01 11:00:00+00');
insert into walk_in_sales values (900001, 'CLUB-2042', 'Mara Lind', 4200, '2022-07-08 15:00:00+00');
`
