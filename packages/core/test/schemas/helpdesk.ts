import { type SampleSchema, sqlOf } from './sample-schema.js'

const contacts = `(select id from contacts where lower(email) = lower($1))`
const agents = `(select id from agents where lower(email) = lower($1))`
const tickets = `(select id from tickets where requester_id in ${contacts})`

/** A comment belongs to who wrote it and to whose ticket it is; what the system wrote has no writer. */
const comments = `(
  select id, ticket_id in ${tickets} as asked,
    case author_type when 'Contact' then author_id in ${contacts} when 'Agent' then author_id in ${agents} end as wrote
  from ticket_comments
) as comment`
const ownComments = `select id from ${comments} where asked and coalesce(wrote, true)`
const sharedComments = `select id from ${comments} where asked <> wrote`

/** A help desk, whose agents answer contacts. */
export const helpdesk: SampleSchema = {
  name: 'helpdesk',
  sql: sqlOf('helpdesk'),
  people: [
    { who: 'ann@mill.example' },
    { who: 'ben@mill.example' },
    { who: 'cleo@oven.example' },
    { who: 'gina@desk.example' },
    { who: 'omar@desk.example' },
    { who: 'vera@desk.example' },
  ],
  truth: {
    contacts: { own: `select id from contacts where lower(email) = lower($1)` },
    agents: { own: `select id from agents where lower(email) = lower($1)` },
    tickets: { own: `select id from tickets where requester_id in ${contacts}` },
    ticket_tags: { own: `select ticket_id, tag_id from ticket_tags where ticket_id in ${tickets}` },
    ticket_watchers: { own: `select ticket_id, contact_id from ticket_watchers where contact_id in ${contacts}` },
    ticket_comments: { own: ownComments, shared: sharedComments },
    attachments: {
      own: `select id from attachments where comment_id in (${ownComments})`,
      shared: `select id from attachments where comment_id in (${sharedComments})`,
    },
    ticket_events: { own: `select id from ticket_events where ticket_id in ${tickets}` },
    satisfaction_ratings: { own: `select id from satisfaction_ratings where contact_id in ${contacts}` },
  },
  nobodys: ['business_hours', 'canned_responses', 'organizations', 'sla_policies', 'tags', 'teams', 'open_tickets'],
  answers: {
    asked: {
      'contacts.email': { identity: 'email' },
      'agents.email': { identity: 'email' },
      'ticket_comments.ticket_id': { direction: 'from' },
      'ticket_comments.author_id': {
        references: [
          { field: 'contacts.id', direction: 'from', when: { author_type: 'Contact' } },
          { field: 'agents.id', direction: 'from', when: { author_type: 'Agent' } },
        ],
      },
      'ticket_events.actor_id': { direction: 'none' },
      'ticket_watchers.ticket_id': { direction: 'none' },
      'satisfaction_ratings.ticket_id': { direction: 'none' },
    },
    beyond: {
      'ticket_comments.author_id':
        'No name says that agents are people; that they write comments is in the rows alone.',
    },
    categories: {
      'agents.name': 'user.name',
      'agents.signature': 'user.social',
      'contacts.notes': 'user.observed',
      'tickets.subject': 'user.social',
      'tickets.description': 'user.social',
      'ticket_comments.body': 'user.social',
      'attachments.file_name': 'user.social',
      'ticket_events.detail': 'user.observed',
      'satisfaction_ratings.remark': 'user.social',
    },
  },
  deletes: ['satisfaction_ratings', 'ticket_watchers', 'ticket_tags', 'attachments'],
}
