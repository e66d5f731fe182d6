import { smallPacketSuite } from './small-packet-suite.js'

smallPacketSuite('mariadb')
