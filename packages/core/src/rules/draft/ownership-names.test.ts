import { describe, expect, it } from 'vitest'
import {
  isAgentColumn,
  isContentParent,
  isGroupTable,
  isLookupTable,
  isPartyColumn,
  isPeopleTable,
  isRoleColumn,
  isSettingsTable,
  looksLikePeople,
  namesPersonKey,
} from './ownership-names.js'

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

function tells(says: (name: string) => boolean, yes: string, no: string): void {
  it.each(words(yes))('%s: yes', (name) => expect(says(name)).toBe(true))
  it.each(words(no))('%s: no', (name) => expect(says(name)).toBe(false))
}

describe('people who worked on a row', () => {
  tells(
    isAgentColumn,
    `created_by createdBy createdById created_by_user_id lastModifiedById ModifiedBy updated_by approver approver_id
     assignee assignee_id assigned_to assignedToUserId staff_id manager_staff_id support_rep_id SupportRepId sales_rep
     salesperson_id sales_person_id SalesPersonID inviter_id invited_by invitedByAccountId moderator agent_id support_agent_email handler courier courier_id manager_id
     editor updater_id reviewer reviewerId reports_to erstellt_von geaendert_von geändert_durch angelegt_von bearbeiter
     bearbeiter_id Sachbearbeiter`,
    `owned_by bought_by ordered_by user_id customer_id owner_id author_id employee_id user_agent userAgent
     last_user_agent group_by agent_commission_rate editor_settings by gueltig_von von email name manager_note
     sales_person_note contact_person_id person_id`,
  )
})

describe('people who worked on a row or own it', () => {
  tells(
    isRoleColumn,
    'doctor_id nurse_id therapistId provider_id host_id organizer_id case_worker_id contact_person_id seller_id Lehrer_id',
    'user_id customer_id requester_id author_id creator_id employee_id contact_id hostname',
  )
})

describe('one of two sides', () => {
  tells(
    isPartyColumn,
    `from_user_id to_user_id toUserId fromAccountId target_account_id target_id sender sender_id recipientId receiver_id
     follower_id followed_id buyer_id sellerId payee to_id Absender empfaenger_id Empfänger`,
    'user_id customer_id from_date to from valid_to target_price source first_name',
  )
})

describe('tables that belong to many', () => {
  tells(
    isGroupTable,
    `organization organizations Organisation org team teams Team user_group userGroups workspace workspaces Space project
     tenants company companies tbl_company departments store stores shop product_catalogue Mandant abteilungen Filiale`,
    `account accounts users team_member TeamMembers organization_invites group_message workspace_settings customer
     store_order person address`,
  )
  describe('settings', () => {
    tells(
      isSettingsTable,
      'settings Setting org_settings workspaceSettings system_config configurations site_options feature_flags Einstellungen',
      'order_options product_options user_settings UserSettings account_settings customer_config organization preferences users',
    )
  })
})

describe('people', () => {
  tells(
    isPeopleTable,
    'user users app_users Customer customers people Person members Accounts user_accounts employees Kunden Mitarbeiter',
    'loyalty_accounts user_settings customer_address orders organization team_names profile_views',
  )
})

describe('the key or the e-mail address of a person', () => {
  tells(
    namesPersonKey,
    `user_id userId UserID userid user_uuid customer_id customerNumber customer_no member_id memberId owner_id owner
     author_id created_user_id email Email e_mail eMail email_address user_email contactEmail billing_email
     emailNormalized username login account_id contact_id kunde_id kunden_nr kundennummer benutzer_id mitarbeiter_id`,
    `id order_id email_verified email_sent_at email_template_id mail_count product_id user_agent user_count
     customer_name account guest name gross_amount status`,
  )
})

describe('a part of the row that refers to it', () => {
  tells(
    isLookupTable,
    'address addresses Address customer_address profiles UserProfile usermeta_meta user_meta preferences Anschrift adressen',
    'country city product store users address_type profile_view orders',
  )
})

describe('content of one person that others comment on', () => {
  tells(
    isContentParent,
    'post posts Article articles document Documents blog_posts survey surveys Beitrag dokument',
    'order orders post_likes users ticket support_threads customer address document_type',
  )
})

describe('rows that look like people', () => {
  it.each([
    [['user.name', 'user.contact.email'], true],
    [['user.name.first', 'user.contact.phone_number'], true],
    [['user.date_of_birth', 'user.name'], true],
    [['user.name', 'user.contact.address.city'], false],
    [['user.contact.email', 'user.date_of_birth'], false],
    [['user', 'user.contact'], false],
    [[], false],
  ])('%j: %s', (categories, looks) => expect(looksLikePeople(categories)).toBe(looks))
})
