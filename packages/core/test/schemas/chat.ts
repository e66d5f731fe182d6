import { type SampleSchema, sqlOf } from './sample-schema.js'

const users = `(select id from users where lower(email) = lower($1) or phone = $1)`
const messages = `(select id from messages where sender_id in ${users})`
const both = `sender_id in ${users} and recipient_id in ${users}`
const either = `(sender_id in ${users}) <> (recipient_id in ${users})`

/** A chat: a message is its sender's, a direct one is the recipient's as well. */
export const chat: SampleSchema = {
  name: 'chat',
  sql: sqlOf('chat'),
  people: [
    { who: 'ann@chat.example' },
    { who: 'bob@chat.example' },
    { who: '+49 170 3', identities: [{ phone_number: '+49 170 3' }] },
    { who: 'dora@chat.example', identities: [{ phone_number: '+49 170 4' }, { email: 'dora@chat.example' }] },
  ],
  truth: {
    users: { own: `select id from users where lower(email) = lower($1) or phone = $1` },
    memberships: { own: `select room_id, user_id from memberships where user_id in ${users}` },
    messages: { own: `select id from messages where sender_id in ${users}` },
    attachments: { own: `select id from attachments where message_id in ${messages}` },
    reactions: { own: `select message_id, user_id, emoji from reactions where user_id in ${users}` },
    read_receipts: { own: `select message_id, user_id from read_receipts where user_id in ${users}` },
    direct_messages: {
      own: `select id from direct_messages where ${both}`,
      shared: `select id from direct_messages where ${either}`,
    },
    direct_files: {
      own: `select id from direct_files where direct_message_id in (select id from direct_messages where ${both})`,
      shared: `select id from direct_files where direct_message_id in (select id from direct_messages where ${either})`,
    },
    devices: { own: `select id from devices where user_id in ${users}` },
    blocks: { own: `select blocker_id, blocked_id from blocks where blocker_id in ${users}` },
    abuse_reports: {
      undecided: {
        rows: `select id from abuse_reports
          where reporter_id in ${users} or reported_user_id in ${users} or message_id in ${messages}`,
        by: ['reporter_id', 'reported_user_id', 'message_id'],
        reason:
          'The team has not decided whether a report is shown to whom it accuses, or erased before it is settled.',
      },
    },
  },
  nobodys: ['emojis', 'room_topics', 'rooms', 'webhooks', 'workspaces', 'room_members'],
  answers: {
    asked: {
      'users.email': { identity: 'email' },
      'users.phone': { identity: 'phone_number' },
      'reactions.message_id': { direction: 'none' },
      'read_receipts.message_id': { direction: 'none' },
      'direct_messages.sender_id': { direction: 'from' },
      'direct_messages.recipient_id': { direction: 'from' },
      'blocks.blocked_id': { direction: 'none' },
    },
    categories: {
      'users.status_text': 'user.social',
      'messages.body': 'user.social',
      'attachments.file_name': 'user.social',
      'attachments.url': 'user.social',
      'direct_messages.body': 'user.social',
      'direct_files.file_name': 'user.social',
      'abuse_reports.reason': 'user.social',
    },
  },
  deletes: ['memberships', 'reactions', 'read_receipts', 'devices', 'blocks', 'direct_messages', 'direct_files'],
}
