import { type SampleSchema, sqlOf } from './sample-schema.js'

const users = `(select id from users where lower(email) = lower($1))`
const ofUsers = (table: string, key = 'id') => ({ own: `select ${key} from ${table} where user_id in ${users}` })

/** Organizations that work under one roof: what is theirs is nobody's, even where one person's name stands on it. */
export const saas: SampleSchema = {
  name: 'saas',
  sql: sqlOf('saas'),
  people: [
    { who: 'ann@saas.example', carries: 'the comment of bob on a task of hers' },
    { who: 'bob@saas.example', carries: 'the comment of ann on a task of his' },
    { who: 'carl@saas.example' },
    { who: 'dora@saas.example', carries: 'the comment of bob on a task of hers' },
    { who: 'erin@post.example' },
  ],
  truth: {
    users: { own: `select id from users where lower(email) = lower($1)` },
    memberships: ofUsers('memberships', 'organization_id, user_id'),
    seats: ofUsers('seats'),
    invitations: { own: `select id from invitations where lower(email) = lower($1)` },
    tasks: { own: `select id from tasks where creator_id in ${users}` },
    task_comments: ofUsers('task_comments'),
    user_settings: ofUsers('user_settings', 'user_id'),
    sessions: ofUsers('sessions'),
    oauth_accounts: ofUsers('oauth_accounts'),
    api_keys: ofUsers('api_keys'),
    audit_logs: ofUsers('audit_logs'),
  },
  nobodys: [
    'invoices',
    'organization_settings',
    'organizations',
    'plans',
    'projects',
    'subscriptions',
    'user_directory',
  ],
  answers: {
    asked: {
      'users.email': { identity: 'email' },
      'invitations.email': { identity: 'email' },
      'task_comments.task_id': { direction: 'none' },
      'oauth_accounts.user_id': { direction: 'from' },
      'audit_logs.user_id': { references: [{ field: 'users.id', direction: 'from' }] },
      'audit_logs.entity_id': { reviewed: true },
    },
    categories: {
      'memberships.title': 'user.job_title',
      'seats.label': 'user.name',
      'invitations.greeting': 'user.social',
      'tasks.title': 'user.social',
      'task_comments.body': 'user.social',
      'user_settings.reply_to': 'user.contact.email',
      'audit_logs.detail': 'user.observed',
    },
  },
  deletes: ['tasks', 'task_comments', 'user_settings', 'sessions', 'oauth_accounts', 'api_keys', 'audit_logs', 'seats'],
}
