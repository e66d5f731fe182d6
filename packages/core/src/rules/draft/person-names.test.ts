import { describe, expect, it } from 'vitest'
import { holdsContactOfAnother } from './person-names.js'

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

describe('contact data of another person', () => {
  it.each(
    words(`driver_phone guardian_email courierPhone emergency_contact_phone manager_email shipment_driver_phone driver.phone
      created_by.email sender_email doctor mother.email guardian.email spouse.email nextOfKin.email kin.email
      emergencyContact.phone husband.email mum.email witness.email boss.email cc.email to.email landlord.email roommate.email
      coApplicant.email gp.email sharedWith.email assistant.email hr.email notify.email profile.mother.email mother`),
  )('%s: yes', (name) => expect(holdsContactOfAnother('shipments', name.split('.'))).toBe(true))
  it.each(
    words(`phone email contact_email primary_phone work_email home_phone private_email billing_email login_email user_email
      customer_phone account_email mobile_number phone_2 shipment_phone shipmentEmail profile.phone contact.email
      address.email details.email emails.address data.email account.email user.email customer.email personal.email info.email
      contactInfo.email contact_details.phone shipment.email billing.email personalInformation.email mail msisdn fax ssn reachable_at`),
  )('%s: no', (name) => expect(holdsContactOfAnother('shipments', name.split('.'))).toBe(false))
  it('says nothing of the people whom a table is named after', () => {
    expect(holdsContactOfAnother('drivers', ['driver_phone'])).toBe(false)
    expect(holdsContactOfAnother('truck_drivers', ['driver_phone'])).toBe(false)
  })
})
