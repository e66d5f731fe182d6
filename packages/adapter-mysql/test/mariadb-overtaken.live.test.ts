import { overtakenOn } from './overtaken-suite.js'

overtakenOn('mariadb')
