import { type SampleSchema, sqlOf } from './sample-schema.js'

const customers = `(select customer_id from customer where lower(email) = lower($1))`

/** A shop for music, whose employees look after customers and buy there themselves. */
export const chinook: SampleSchema = {
  name: 'chinook',
  sql: sqlOf('chinook'),
  people: [
    { who: 'luisg@embraer.example' },
    { who: 'leonie.koehler@surfeu.example' },
    { who: 'ftremblais@mail.example' },
    { who: 'luisa.t@mail.example' },
    { who: 'jan@mail.example' },
    { who: 'andrew@chinook.example', carries: 'whoever reports to andrew' },
    { who: 'nancy@chinook.example', carries: 'whoever reports to nancy' },
    { who: 'jane@chinook.example', carries: 'the customers whom jane looks after' },
    { who: 'robert@chinook.example' },
    { who: 'steve@chinook.example', carries: 'the customers whom steve looks after' },
  ],
  truth: {
    employee: { own: `select employee_id from employee where lower(email) = lower($1)` },
    customer: { own: `select customer_id from customer where lower(email) = lower($1)` },
    invoice: { own: `select invoice_id from invoice where customer_id in ${customers}` },
    invoice_line: {
      own: `select invoice_line_id from invoice_line join invoice using (invoice_id) where customer_id in ${customers}`,
    },
  },
  nobodys: [
    'album',
    'artist',
    'genre',
    'media_type',
    'playlist',
    'playlist_track',
    'track',
    'sales_by_customer',
    'support_load',
  ],
  answers: {
    asked: { 'customer.email': { identity: 'email' }, 'employee.email': { identity: 'email' } },
    categories: { 'employee.title': 'user.job_title', 'customer.company': 'user.workplace' },
  },
  deletes: ['customer', 'employee', 'invoice', 'invoice_line'],
}
