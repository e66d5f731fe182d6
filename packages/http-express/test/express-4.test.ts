import { httpSmoke } from '../../http/test/contract/http-smoke.js'
import { expressSkin, skinsOf } from './express-skin.js'

for (const skin of skinsOf('Express 4')) httpSmoke(skin.name, expressSkin(skin))
