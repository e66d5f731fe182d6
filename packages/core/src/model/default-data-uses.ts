/** The built-in data uses: key, name, description. */
export const defaultDataUses: readonly (readonly [key: string, name: string, description: string])[] = [
  ['advertising', 'Advertising and marketing', "Promoting products, one's own or those of others."],
  ['advertising.first_party', 'Own advertising', "Promoting one's own products with data one has collected oneself."],
  [
    'advertising.first_party.contextual',
    'Own contextual advertising',
    'Choosing own advertisements by what is on the page, not by who reads it.',
  ],
  [
    'advertising.first_party.personalized',
    'Own personalized advertising',
    'Choosing own advertisements by what is known about the person.',
  ],
  [
    'advertising.third_party',
    'Advertising for others',
    'Promoting the products of others, or letting others advertise.',
  ],
  [
    'advertising.third_party.personalized',
    'Personalized advertising for others',
    'Choosing advertisements of others by what is known about the person.',
  ],
  ['collect', 'Collection', 'Gathering and storing data without any further use yet.'],
  ['improve', 'Improvement', 'Making a product better.'],
  ['improve.system', 'System improvement', 'Making the system that holds the data better or faster.'],
  ['personalize', 'Personalization', 'Fitting a product to the person who uses it.'],
  ['personalize.system', 'System personalization', 'Fitting what the system shows or does to the person.'],
  ['provide', 'Provision', 'Doing what the person has asked or paid for.'],
  ['provide.service', 'Service provision', 'Delivering a service to the person.'],
  ['provide.service.operations', 'Running the service', 'Keeping a service running and secure.'],
  ['provide.service.operations.support', 'Support', 'Helping people who have a problem with the service.'],
  ['provide.service.operations.support.optimization', 'Better support', 'Making support quicker or more helpful.'],
  ['provide.service.upgrades', 'Upgrade offers', 'Telling people about a better version of what they have.'],
  ['third_party_sharing', 'Sharing with others', 'Handing data to another organization.'],
  [
    'third_party_sharing.fraud_detection',
    'Sharing against fraud',
    'Handing data to another organization that detects or prevents fraud.',
  ],
  [
    'third_party_sharing.legal_obligation',
    'Sharing required by law',
    'Handing data over because a law or a court demands it.',
  ],
  [
    'third_party_sharing.payment_processing',
    'Sharing for payments',
    'Handing data to another organization that carries out payments.',
  ],
  [
    'third_party_sharing.personalized_advertising',
    'Sharing for advertising',
    'Handing data to another organization that fits advertisements to people.',
  ],
  ['train_ai_system', 'Training of AI systems', 'Teaching a machine-learning model with the data.'],
]
