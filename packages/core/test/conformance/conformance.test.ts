import { accessCheck } from './access.js'
import { conformance, folder, sayWhenAbsent } from './bank.js'
import { checkCoerce } from './coerce.js'
import { checkElements } from './elements.js'
import { erasureCheck } from './erasure.js'
import { checkFilter } from './filter.js'
import { checkFind, isFind } from './find.js'
import { checkInputs } from './inputs.js'
import { checkLedger } from './ledger.js'
import { checkMasking } from './masking.js'
import { checkPackage } from './package.js'
import { checkPolicy } from './policy.js'
import { checkScheduling, isOfAccess } from './scheduling.js'
import { aboutErasing, checkErasureScheduling } from './scheduling-erasures.js'
import { checkTraversal } from './traversal.js'
import { checkUpdateMap } from './update-map.js'

sayWhenAbsent()

conformance('coerce', checkCoerce)
conformance('elements', checkElements)
conformance('filter', checkFilter)
conformance('inputs', checkInputs)
conformance('masking', checkMasking)
conformance('package', checkPackage)
conformance('policy', checkPolicy)
conformance('scheduling', checkScheduling, isOfAccess)
conformance('traversal', checkTraversal)
conformance('access', accessCheck())
conformance('erasure', erasureCheck())
conformance('scheduling', checkErasureScheduling, aboutErasing)
conformance('update_map', checkUpdateMap)
conformance('query', checkFind, isFind)
if (folder !== '') checkLedger()
