/**
 * The write concern of everything that is written: it counts when most members have it in their journal. A server that stands
 * alone would otherwise answer before it has anything on its disk.
 */
export const durable = (wtimeoutMS: number) => ({ w: 'majority', wtimeoutMS, journal: true }) as const
