import type { ValueKind } from '../../model/value.js'

/** A pattern for names that suggest the content of a column. */
export interface NamePattern {
  /** Matched against the name in snake case. */
  readonly name: RegExp
  readonly category: string
  readonly confidence: number
  /** Confidence in a table that is not named after people. */
  readonly elsewhere?: number
  /** Completes the sentence "The column is named like". */
  readonly like: string
  /** The kinds such a column can have besides text. */
  readonly kinds?: readonly ValueKind[]
}

const numbers = ['integer', 'decimal'] as const
const identifiers = [...numbers, 'uuid', 'object_id'] as const
/** Words before `name` for people. Left out are those that name things as well: a host, a parent, a tenant. */
const roles =
  'customer|contact|recipient|crew|addressee|consignee|employee|patient|guest|sender|author|holder|owner|payer|payee|buyer|beneficiary|signatory|signer|cardholder|borrower|attendee|participant|applicant|requester|reviewer|student|pupil|teacher|doctor|physician|nurse|visitor|passenger|travell?er|guardian|mother|father|spouse|inhaber|empfaenger|absender|kunden|patienten'

/** Tables named after people. */
export const people =
  /(^|_)(user|customer|person|people|member|patient|employee|staff|contact|client|subscriber|guest|student|applicant|lead|account|profile|visitor|passenger|owner|kunden?|benutzer|nutzer|mitglied(er)?|mitarbeiter)s?(_|$)/

/** The first match counts, so the more specific patterns come first. */
export const namePatterns: readonly NamePattern[] = [
  named(
    'user.contact.email',
    0.95,
    'an email address',
    /(^|_)(e?_?mail|smtp)(_addr(ess)?)?$|(^|_)e_?mails$|^e_?mail_addresses$|^e_?mail(_(home|work|private|business|alt|alternat(e|ive)|secondary|other|privat))?(_?\d)?$/,
  ),
  named('user.device.ip_address', 0.9, 'an IP address', /(^|_)ip(v[46])?(_?(addr(ess)?|adresse))?$|^remote_addr$/),
  named(
    'user.device.device_id',
    0.85,
    'a device identifier',
    /(^|_)(device_(id|uuid|token)|udid|idfa|gaid|imei|mac_?addr(ess)?|advertising_id)$/,
    identifiers,
  ),
  named('user.device.cookie_id', 0.8, 'a cookie identifier', /(^|_)cookie(_(id|uuid|value))?$/, identifiers),
  named('user.device', 0.7, 'a device description', /(^|_)user_agent$|^device(_(type|model|name|os|info))?$/),
  named(
    'user.credentials.password',
    0.95,
    'a password',
    /(^|_)(pass_?word|passwd|pwd|pswd|passphrase|pass_?code|passwort|kennwort)s?(_?(hash(es)?|hashed|digest|salt|encrypted|hint))?$|(^|_)(pass|pw|login)_?hash(es)?$|(^|_)(hashed|encrypted)_pw$|^(user_)?pass$/,
    ['object'],
  ),
  named(
    'user.credentials',
    0.9,
    'a secret',
    /(^|_)(secrets?(_(key|access_key|token))?|(api|private|secret|access|encryption|signing|auth|activation|reset)_?keys?|key_auth|(backup|recovery|verification|auth|reset)_codes?|salt|credentials?|jwt|bearer)(_(hash|hashed|digest|encrypted))?$/,
    ['object'],
  ),
  named(
    'user.credentials',
    0.85,
    'a token, or a source of tokens',
    /(^|_)(tokens?(_?(hash|hashed|digest|encrypted|value))?|(mfa|t?otp|hotp)(_(secret|seed|hash))?|(security|secret)_answer)$/,
    ['uuid', 'object'],
  ),
  {
    ...named('user.credentials', 0.6, 'a hash, in a table named after people', /^(hash|digest)$/),
    elsewhere: 0,
  },
  named(
    'user.credentials',
    0.75,
    'a means of logging in',
    /(^|_)(security_question|pin_?code)(_(secret|seed|hash))?$|^pin$/,
    numbers,
  ),
  named(
    'user.payment.financial_account_number',
    0.95,
    'a card number',
    /(^|_)(?<!(^|_)(id|identity)_)((credit_?|debit_?|payment_?)?card_?(number|num|no|nr|pan)|cc_?(number|num|no)|ccn|credit_?card)$|^(full|masked|truncated|primary)_pan$/,
    numbers,
  ),
  // A number may say how far a camera turns, or where a sound comes from.
  named('user.payment.financial_account_number', 0.95, 'a card number', /^pan$/),
  named(
    'user.payment',
    0.85,
    'the last digits of a card or an account',
    /^((.+_)?(card|cc|pan|iban|account(_number)?)_?)?last_?(4|four)(_?digits)?$|(^|_)(card|iban|account)_(last_?digits|suffix)$/,
    numbers,
  ),
  named(
    'user.payment',
    0.8,
    'a payment detail',
    /(^|_)(cvv|cvc|csc|card_?(holder|expiry|expiration|exp)(_(date|month|year|name))?|card_type|payment_method)$/,
    [...numbers, 'date'],
  ),
  named(
    'user.financial.account_number',
    0.9,
    'a bank account number',
    /(^|_)(iban|bank_account(_(number|no))?|account_(number|num|no)|routing_number|sort_code)$/,
    numbers,
  ),
  named(
    'user.financial',
    0.7,
    'a figure of income or wealth',
    /(^|_)(salary|income|wage|net_worth|credit_(score|limit|rating))$/,
    [...numbers, 'float'],
  ),
  named(
    'user.government_id.national_identification_number',
    0.9,
    'a national identification number',
    /(^|_)(ssn|social_security(_(number|no|num))?|national_(id|identification)(_(number|no))?|tax_(id|number)|personal_(id|number)|(id|identity)_(card|document)_(number|num|no|nr)|(personal)?ausweis(nummer|_?nr)|nin|cpf|bsn|curp|dni|pesel|personnummer)$/,
    numbers,
  ),
  named(
    'user.government_id.passport_number',
    0.9,
    'a passport number',
    /(^|_)passport(_(number|num|no|id))?$/,
    numbers,
  ),
  named(
    'user.government_id.drivers_license_number',
    0.9,
    'a driving licence number',
    /(^|_)(drivers?|driving)_licen[cs]e(_(number|num|no|id))?$/,
    numbers,
  ),
  {
    ...named(
      'user.government_id',
      0.6,
      'a licence number, in a table named after people',
      /^licen[cs]e_(number|num|no)$/,
      numbers,
    ),
    elsewhere: 0,
  },
  named(
    'user.contact.phone_number',
    0.9,
    'a phone number',
    /(^|_)(phone|telephone|landline|tel|mobile|cell|cell_?phone|mobile_?phone|msisdn|fax|telefon|telefonnummer|handy|handynummer|mobilnummer)s?(_?(number|num|no|nr)s?)?(_?\d)?$|^phone_(home|work|mobile|private)$/,
    numbers,
  ),
  named(
    'user.date_of_birth',
    0.95,
    'a date of birth',
    /(^|_)(dob|birth_?date|date_?of_?birth|birth_?day|born(_on|_at)?|geburtsdatum|geburtstag)$/,
    ['date', 'timestamp', 'datetime', ...numbers],
  ),
  named('user.non_specific_age', 0.7, 'an age', /(^|_)(age|age_(group|range)|birth_?year|year_of_birth)$/, numbers),
  named('user.gender', 0.9, 'a gender', /(^|_)(gender|sex|geschlecht)$/, numbers),
  named('user.sexual_orientation', 0.9, 'a sexual orientation', /(^|_)sexual_(orientation|preference)$/),
  named('user.race', 0.85, 'an ethnic origin', /(^|_)(race|ethnicity|ethnic_(group|origin))$/),
  named(
    'user.religious_belief',
    0.85,
    'a religious belief',
    /(^|_)(religion|religious_(belief|affiliation)|denomination)$/,
  ),
  named(
    'user.political_opinion',
    0.85,
    'a political opinion',
    /(^|_)(political_(opinion|party|affiliation|view)s?|party_membership)$/,
  ),
  named(
    'user.health_and_medical',
    0.8,
    'health data',
    /(^|_)(diagnos[ie]s|medical_(history|record|condition)s?|health_(status|condition)|blood_(type|group)|allerg(y|ies)|medications?|disabilit(y|ies)|gp_(name|surgery|practice)|family_doctor|hausarzt)$/,
  ),
  named('user.genetic', 0.85, 'genetic data', /(^|_)(dna|genome|genetic(_data)?)$/),
  named(
    'user.biometric',
    0.8,
    'biometric data',
    /(^|_)(fingerprint|face_(id|print|template)|voice_?print|iris_scan|biometric(_(data|template))?)$/,
  ),
  named(
    'user.name',
    0.95,
    'a name of a person',
    /(^|_)(first|last|middle|given|family|full|maiden|legal|birth|fore|sur)_?names?$|(^|_)(fname|lname|surname|forename|initials|maiden|cardholder|vorname|nachname|familienname|zuname|ansprechpartner(in)?)$/,
  ),
  named('user.name', 0.9, 'a part of a name', /(^|_)name_(first|last|middle|given|family|full|display)$/),
  named(
    'user.name',
    0.8,
    'a name of a person',
    new RegExp(
      `(^|_)(ship_to|bill_to|bill|deliver_to|nick|shipping|billing|(${roles})(_(display|short|print(ed)?|real|public))?|(user|member)_(display|real))_?names?$`,
    ),
  ),
  named(
    'user.contact',
    0.8,
    'a way to reach a person',
    /(^|_)(contact_(info|information|details?|data|person)|emergency_contact)$|^(contact|recipient|empfaenger)$/,
  ),
  { ...named('user.name', 0.8, 'a name, in a table named after people', /(^|_)display_?name$/), elsewhere: 0 },
  {
    ...named('user.unique_id', 0.6, 'an identifier of a person', /^unique_(id|identifier)$/, identifiers),
    elsewhere: 0.4,
  },
  named('user.unique_id', 0.65, 'a user name', /(^|_)(user_?name|login(_name)?|screen_name|handle)$/),
  named(
    'user.contact.address.postal_code',
    0.9,
    'a postal code',
    /(^|_)(zip|zip_?code|post_?code|postal_?code|plz)$/,
    numbers,
  ),
  named(
    'user.contact.address.street',
    0.9,
    'a street address',
    /(^|_)(street(_?(name|number|no|address|line))?(_?\d)?|address_?line(_?\d)?|address_?\d|addr_?\d|house(_(number|no))?|apartment|strasse|hausnummer)$/,
    numbers,
  ),
  named('user.contact.address.city', 0.85, 'a city', /(^|_)(city|town|municipality|wohnort|stadt|ort)(_name)?$/),
  named('user.contact.address.country', 0.75, 'a country', /(^|_)country(_(code|name|iso))?$/),
  {
    ...named(
      'user.contact.address.state',
      0.7,
      'a state or region',
      /(^|_)(?<!(workflow|order|account|process|payment|job)_)(state(_(code|name|province))?|province|county)$/,
    ),
    elsewhere: 0.3,
  },
  named('user.contact.address', 0.8, 'a postal address', /(^|_)(address|addr|adresse|anschrift)$/, ['object']),
  named(
    'user.location',
    0.75,
    'a position',
    /(^|_)(latitude|longitude|lat|lng|lon|geo_?(location|point|hash)|coordinates|gps)$/,
    ['float', ...numbers, 'object'],
  ),
  named('user.job_title', 0.8, 'a job title', /(^|_)(job_?title|occupation|profession)$/),
  named('user.workplace', 0.6, 'a workplace', /(^|_)(employer|company(_name)?|workplace)$/),
  named(
    'user.demographic',
    0.7,
    'a demographic trait',
    /(^|_)(nationality|citizenship|marital_status|household_size|education(_level)?)$/,
    numbers,
  ),
  named('user.search_history', 0.75, 'a search', /(^|_)search_(query|term|text|history)s?$/),
  named(
    'user.browsing_history',
    0.65,
    'a visited page',
    /(^|_)(page_url|visited_(url|page)s?|referr?er(_url)?|browsing_history)$/,
  ),
  named('user.telemetry', 0.5, 'a session identifier', /(^|_)session_(id|key)$/, identifiers),
  named(
    'user',
    0.6,
    'a picture or text about a person',
    /(^|_)(avatar|photo|selfie|portrait|profile_(picture|image|photo)|bio|biography|about_me)(_(url|uri|path|file|src))?$/,
  ),
  named(
    'user.unique_id',
    0.6,
    'an identifier of a person',
    /(^|_)(user|customer|person|member|patient|employee|subscriber|client|visitor|passenger)_?(id|uuid|guid|number|no|key)$/,
    identifiers,
  ),
  { ...named('user.name', 0.7, 'a name, in a table named after people', /^name$/), elsewhere: 0 },
]

function named(
  category: string,
  confidence: number,
  like: string,
  name: RegExp,
  kinds?: readonly ValueKind[],
): NamePattern {
  return { name, category, confidence, like, ...(kinds && { kinds }) }
}
