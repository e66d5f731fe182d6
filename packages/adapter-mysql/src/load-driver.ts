import { driverLoader } from '@habeas/sql'

export type Driver = typeof import('mysql2')

export const loadDriver = driverLoader<Driver>(() => import('mysql2'))
