/** The words of this folder, in English. */
export const texts = {
  searchAndCommands: 'Search and commands',
  siteResearcherPageOrCommand: 'Site, researcher, page or command',
  results: 'Results',
  searching: 'Searching…',
  noResults: 'No results.',
  addASite: 'Add a site',
  command: 'Command',
  watchRequestsLive: 'Watch requests live',
  site: 'Site',
  trafficOf: (gatedName: string) => `Traffic of ${gatedName}`,
  traffic: 'Traffic',
  researcher: 'Researcher',
}
