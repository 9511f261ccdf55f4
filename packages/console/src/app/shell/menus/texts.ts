/** The words of this folder, in English. */
export const texts = {
  light: 'Light',
  dark: 'Dark',
  system: 'System',
  comfortable: 'Comfortable',
  compact: 'Compact',
  theme: (label: string) => `Theme: ${label}`,
  density: 'Density',
  account: 'Account',
  signedIn: 'Signed in',
  organization: 'Organization',
  signOut: 'Sign out',

  timeZone: (zone: string) => `Time zone: ${zone}`,
  timesIn: (zone: string) => `Times in ${zone}`,
  showTimesIn: 'Show times in',
  searchTimeZones: 'Search time zones',
  cityRegionOrOffset: 'City, region or offset',
  thisComputer: (local: string) => `This computer (${local})`,
  noTimeZonesMatch: 'No time zones match',
}
