# Compares `prism features` of one PDB file with contact numbers and weighted contact numbers computed here, from all
# pairs of the file's alpha carbons. awk -v structure=FILE.pdb -f check_features.awk FEATURES.csv

function fail(text) {
    print "error: " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    FS = ","
    n = 0
    while ((getline line < structure) > 0) {
        if (substr(line, 1, 4) == "ATOM" && substr(line, 13, 4) == " CA " && substr(line, 17, 1) ~ /[ A]/) {
            x[n] = substr(line, 31, 8) + 0
            y[n] = substr(line, 39, 8) + 0
            z[n] = substr(line, 47, 8) + 0
            number[n] = substr(line, 23, 4) + 0
            name[n] = substr(line, 18, 3)
            n++
        }
    }
    if (n == 0) fail(structure " has no alpha carbon")
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            if (i != j) {
                d2 = (x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2 + (z[i] - z[j]) ^ 2
                contacts[i] += d2 < 64
                wcn[i] += 1 / d2
            }
        }
    }
}

NR == 1 {
    for (i = 1; i <= NF; i++) column[$i] = i
    split("structure row chain resnum icode resname contact_number wcn centrality", needed, " ")
    for (i in needed) if (!(needed[i] in column)) fail("no column " needed[i])
    next
}

{
    i = NR - 2
    if ($column["row"] != i) fail("row " i " is counted as " $column["row"])
    if ($column["resnum"] != number[i] || $column["resname"] != name[i]) {
        fail("row " i " is residue " $column["resname"] $column["resnum"] ", not " name[i] number[i])
    }
    if ($column["contact_number"] != contacts[i]) {
        fail("row " i ": contact_number " $column["contact_number"] ", not " contacts[i])
    }
    off = $column["wcn"] / wcn[i] - 1
    if (off > 1e-5 || off < -1e-5) fail("row " i ": wcn " $column["wcn"] ", not " wcn[i])
    norm += $column["centrality"] ^ 2
}

END {
    if (failed) exit 1
    if (NR - 1 != n) fail((NR - 1) " rows for " n " alpha carbons")
    if (norm > 1.0001 || norm < 0.9999) fail("the centrality has the squared norm " norm)
    print n " rows; contact_number and wcn as computed from all pairs, centrality of norm 1"
}
