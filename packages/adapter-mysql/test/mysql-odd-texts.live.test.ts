import { oddTextsSuite } from './odd-texts-suite.js'

oddTextsSuite('mysql')
