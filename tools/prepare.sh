#!/bin/sh
# What `npm ci` ends with. The machine's own tools alone, because it also runs where no development package is installed.
set -eu

# Node comes with the headers that addons are compiled against: 67 MB, and nothing here is compiled.
rm -rf node_modules/node/node_modules/*/include

if [ -e node_modules/.bin/vite ]; then
  npm run build:console
else
  echo 'Without development packages the console is not built: packages/console/dist must come from a full install.'
fi

# What a first start would make otherwise. It runs without.
node packages/sallyport/src/prepared/prepare-installation.ts || echo 'The first start will take longer: see above.'
