import { schemas } from '@habeas/core'
import type { DataMapPageInput } from '../src/index.js'

/** A text that ends elements, begins comments and ends lines wherever it is written without care. */
export const hostile = `</script></title><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028\u2029"'&amp;\${1}`

/** Documents with such a text in every place that takes one, and with keys that objects have already. */
export function hostileDocuments(): DataMapPageInput {
  const keys = ['__proto__', 'constructor']
  return {
    title: hostile,
    datasets: keys.map((key) =>
      schemas.dataset.parse({
        service_key: key,
        description: hostile,
        data_categories: keys,
        collections: [{ name: hostile, fields: [{ name: hostile, data_categories: keys }, { name: '__proto__' }] }],
      }),
    ),
    systems: [...keys, 'hostile'].map((key) =>
      schemas.system.parse({
        service_key: key,
        ...(key === 'hostile' && { name: hostile }),
        description: hostile,
        system_type: hostile,
        administrating_department: key === 'hostile' ? hostile : '__proto__',
        privacy_declarations: [
          {
            name: hostile,
            data_use: hostile,
            data_subjects: [hostile, '__proto__'],
            data_categories: [hostile],
            dataset_references: keys,
          },
        ],
        egress: [{ service_key: '__proto__', type: hostile, data_categories: [hostile] }],
      }),
    ),
    dataCategories: [
      schemas.dataCategory.parse({ service_key: '__proto__', name: hostile, parent_key: 'constructor' }),
    ],
  }
}
