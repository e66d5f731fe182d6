import { type SampleSchema, sqlOf } from './sample-schema.js'

const customers = `(select customer_id from customers where phone = $1)`
const employees = `(select employee_id from employees where home_phone = $1)`
const called = (phone: string) => ({ who: phone, identities: [{ phone_number: phone }] })

/** A trading house that knows nobody's e-mail: people are asked for by telephone numbers. */
export const northwind: SampleSchema = {
  name: 'northwind',
  sql: sqlOf('northwind'),
  people: [
    called('030-0074321'),
    called('(5) 555-4729'),
    called('0621-08460'),
    called('(91) 555 22 82'),
    called('(206) 555-9857'),
    called('(206) 555-9482'),
    called('(206) 555-3412'),
  ],
  truth: {
    customers: { own: `select customer_id from customers where phone = $1` },
    customer_customer_demo: {
      own: `select customer_id, customer_type_id from customer_customer_demo where customer_id in ${customers}`,
    },
    // Whoever took an order does not own it.
    orders: { own: `select order_id from orders where customer_id in ${customers}` },
    order_details: {
      own: `select order_id, product_id from order_details join orders using (order_id) where customer_id in ${customers}`,
    },
    employees: { own: `select employee_id from employees where home_phone = $1` },
    employee_territories: {
      own: `select employee_id, territory_id from employee_territories where employee_id in ${employees}`,
    },
  },
  nobodys: [
    'categories',
    'customer_demographics',
    'products',
    'region',
    'shippers',
    'suppliers',
    'territories',
    'us_states',
    'customer_and_suppliers_by_city',
    'order_subtotals',
  ],
  answers: {
    asked: {
      'customers.phone': { identity: 'phone_number' },
      'employees.home_phone': { identity: 'phone_number' },
      'orders.customer_id': { direction: 'from' },
      'orders.employee_id': { direction: 'none' },
      'orders.ship_via': { direction: 'none' },
      suppliers: { owner: [] },
    },
    categories: {
      'orders.ship_name': 'user.name',
      'employees.notes': 'user.observed',
      'employees.photo': 'user.biometric',
    },
  },
  deletes: ['customers', 'customer_customer_demo', 'orders', 'order_details', 'employee_territories'],
}
