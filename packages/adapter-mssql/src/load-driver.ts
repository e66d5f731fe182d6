import { driverLoader } from '@habeas/sql'

export type Driver = typeof import('tedious')

export const loadDriver = driverLoader<Driver>(() => import('tedious'))
