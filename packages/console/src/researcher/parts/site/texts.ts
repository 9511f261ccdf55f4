/** The words of this folder, in English. */
export const texts = {
  open: 'Open',
  untilItIsClosed: 'until it is closed',
  until: (stopsAt: string) => `until ${stopsAt}`,
  closed: 'Closed',
  paused: 'Paused',
  theOrganizationHasPaused: 'The organization has paused your access.',
  ended: 'Ended',
  theTimeThatYou: 'The time that you were invited for is over.',
  closedSince: (stopsAt: string) => `Closed since ${stopsAt}.`,
  opens: (startsAt: string) => `Opens ${startsAt}.`,
  closedByTheOrganization: 'Closed by the organization for now.',
}
