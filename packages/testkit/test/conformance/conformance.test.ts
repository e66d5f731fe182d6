import { accessCheck } from './access.js'
import { conformance, sayWhenAbsent } from './bank.js'
import { checkCoerce } from './coerce.js'
import { checkElements } from './elements.js'
import { checkFilter } from './filter.js'
import { checkInputs } from './inputs.js'
import { checkPackage, isWritten } from './package.js'
import { checkTraversal } from './traversal.js'

sayWhenAbsent()

conformance('coerce', checkCoerce)
conformance('elements', checkElements)
conformance('filter', checkFilter)
conformance('inputs', checkInputs)
conformance('package', checkPackage, isWritten)
conformance('traversal', checkTraversal)
conformance('access', accessCheck())
