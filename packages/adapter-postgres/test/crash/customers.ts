const user = { data_categories: ['user'] }

/** The description of a table of customers, who are found by their e-mail address. */
export const customers = {
  name: 'customer',
  fields: [
    { name: 'id', service_meta: { primary_key: true } },
    { name: 'email', ...user, service_meta: { identity: 'email' } },
    { name: 'name', ...user },
  ],
}
