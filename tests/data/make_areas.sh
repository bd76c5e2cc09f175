#!/bin/sh
# Writes areas/*: what FreeSASA 2.1.2 (Debian 12's package `freesasa`) writes for ubiquitin.
set -eu
cd "$(dirname "$0")/areas"
gunzip -c ../1ubq.pdb.gz > 1ubq.pdb
freesasa --format=rsa 1ubq.pdb > slices.rsa
freesasa --format=rsa --shrake-rupley -n 100 --radii=naccess 1ubq.pdb > naccess.rsa
freesasa --format=pdb 1ubq.pdb | gzip -9n > slices.pdb.gz
rm 1ubq.pdb
