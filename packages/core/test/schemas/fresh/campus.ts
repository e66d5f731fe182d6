import { type FreshSchema, freshSql } from './fresh-schema.js'

const users = `(select user_id from communication_channels where path_type = 'email' and lower(path) = lower($1))`
const submissions = `(select id from submissions where user_id in ${users})`
const both = (one: string, other: string) => `${one} in ${users} and ${other} in ${users}`
const either = (one: string, other: string) => `(${one} in ${users} or ${other} in ${users})`
/** Of a comment and a file: whose the submission is that it is about. */
const student = (submission: string) => `(select user_id from submissions s where s.id = ${submission})`
const subject = `(case context_type when 'User' then context_id when 'Submission' then ${student('context_id')} end)`

/** A learning platform after Canvas: people have no address, channels have it. */
export const campus: FreshSchema = {
  name: 'campus',
  sql: freshSql('campus'),
  people: [
    { who: 'nora@campus.example' },
    // Teaches and studies.
    { who: 'omar@campus.example' },
    { who: 'pia@campus.example', carries: 'what her teacher said of her work' },
    { who: 'quin@campus.example', carries: 'what his teacher said of his work' },
    // Looks after Pia's progress.
    { who: 'ruth@home.example' },
    // Deleted softly.
    { who: 'sid@gone.example' },
    { who: 'guest@far.example' },
  ],
  truth: {
    users: { own: `select id from users where id in ${users}` },
    communication_channels: { own: `select id from communication_channels where user_id in ${users}` },
    pseudonyms: { own: `select id from pseudonyms where user_id in ${users}` },
    enrollments: {
      own: `select id from enrollments where ${both('user_id', 'coalesce(associated_user_id, user_id)')}`,
      shared: `select id from enrollments where ${either('user_id', 'associated_user_id')} and associated_user_id <> user_id`,
    },
    course_invites: {
      own: `select id from course_invites where lower(email) = lower($1) or accepted_by_id in ${users}`,
    },
    submissions: { own: `select id from submissions where id in ${submissions}` },
    submission_comments: {
      own: `select id from submission_comments where ${both(`coalesce(author_id, ${student('submission_id')})`, student('submission_id'))}`,
      shared: `select id from submission_comments where ${either('author_id', student('submission_id'))}
        and author_id <> ${student('submission_id')}`,
    },
    conversations: {
      own: `select conversation_id as id from conversation_participants group by 1 having bool_and(user_id in ${users})`,
      shared: `select conversation_id as id from conversation_participants group by 1
        having bool_or(user_id in ${users}) and not bool_and(user_id in ${users})`,
    },
    conversation_participants: { own: `select id from conversation_participants where user_id in ${users}` },
    conversation_messages: { own: `select id from conversation_messages where author_id in ${users}` },
    attachments: {
      own: `select id from attachments where ${both(`coalesce(user_id, ${subject})`, `coalesce(${subject}, user_id)`)}`,
      shared: `select id from attachments where ${either('user_id', subject)} and user_id <> ${subject}`,
    },
  },
  nobodys: ['courses', 'assignments', 'page_views', 'active_students'],
  keyless: { page_views: `select * from page_views where user_id in ${users}` },
  answers: {
    asked: {
      'attachments.user_id': { direction: 'from' },
      'conversation_messages.author_id': { direction: 'from' },
      'enrollments.associated_user_id': { direction: 'from' },
      'enrollments.user_id': { direction: 'from' },
      'page_views.user_id': { direction: 'from' },
      'pseudonyms.user_id': { direction: 'from' },
      'submission_comments.submission_id': { direction: 'from' },
      'submission_comments.author_id': { direction: 'from' },
      'submissions.grader_id': { direction: 'none' },
      'submissions.user_id': { direction: 'from' },
      // Its context may be a person, as far as names tell.
      assignments: { owner: [] },
      'course_invites.email': { identity: 'email' },
      'conversation_participants.user_id': { direction: 'from' },
      'communication_channels.user_id': { direction: 'both' },
      'communication_channels.path': { identity: 'email' },
      'course_invites.accepted_by_id': { direction: 'from' },
      'conversation_participants.conversation_id': { direction: 'to' },
      'conversation_messages.conversation_id': { direction: 'none' },
      'attachments.context_id': {
        references: [
          { field: 'users.id', direction: 'from', when: { context_type: 'User' } },
          { field: 'submissions.id', direction: 'from', when: { context_type: 'Submission' } },
        ],
      },
    },
    beyond: {
      'communication_channels.path': 'What a path is stands in the rows alone.',
      'attachments.context_id':
        'A draft looks for people behind such a pair; that submissions have files is in the rows alone.',
    },
    placeholders: { 'communication_channels.path': ['n/a'] },
    notPersonal: ['users.workflow_state'],
    categories: {
      'communication_channels.path': 'user.contact.email',
      'communication_channels.confirmation_code': 'user.credentials',
      'submissions.body': 'user.observed',
      'submissions.grade': 'user.observed',
      'submission_comments.comment': 'user.observed',
      'conversations.subject': 'user.observed',
      'conversation_participants.label': 'user.observed',
      'conversation_messages.body': 'user.observed',
      'pseudonyms.unique_id': 'user.contact.email',
      'page_views.url': 'user.observed',
    },
  },
  overLimit: 'Most rows name several people, or name one where they need not.',
  deletes: [
    'communication_channels',
    'pseudonyms',
    'enrollments',
    'course_invites',
    'submissions',
    'submission_comments',
    'attachments',
  ],
}
