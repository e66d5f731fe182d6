import { httpContract } from '../../http/test/contract/contract.js'
import { httpSmoke } from '../../http/test/contract/http-smoke.js'
import { expressSkin, skinsOf } from './express-skin.js'

const [whole, ...others] = skinsOf('Express 5')

if (whole) httpContract(whole.name, expressSkin(whole))
for (const skin of others) httpSmoke(skin.name, expressSkin(skin))
