/// The EXAMPLES of the commands' pages. A test runs each page's examples, one after the other, in a directory with
/// the files that they name.
enum CommandExamples {
  /// What an example does, and its command lines.
  typealias Example = (purpose: String, lines: [String])

  /// By the command's name.
  static let byCommand: [String: [Example]] = [
    "run": [
      ("Everything that the directory's imagemill.yaml asks for:", ["imagemill run"]),
      (
        "Outputs below public, and a page on which to look at all of them:",
        ["imagemill run -C public --report report.html images.yaml"]
      ),
      (
        "In CI, to learn whether what is checked in is up to date; 3 is the answer when it isn't:",
        ["imagemill run --check"]
      ),
      (
        "Again, but only what failed the last time:",
        [
          "imagemill run --report run.ndjson images.yaml",
          "imagemill run --failed run.ndjson images.yaml",
        ]
      ),
      (
        "The second quarter of a large job, on the second of four machines:",
        ["imagemill run --shard 2/4 images.yaml"]
      ),
      (
        "Sources held to what was reviewed:",
        [
          "imagemill run --lock images.lock images.yaml",
          "imagemill run --lock images.lock --frozen images.yaml",
        ]
      ),
      (
        "What earlier runs have made and the manifest no longer names is removed:",
        ["imagemill run --prune images.yaml"]
      ),
      ("Without the network, from what the cache holds:", ["imagemill run --offline images.yaml"]),
      (
        "A responsive set, and the picture element that shows it:",
        ["imagemill run --emit picture=hero.html responsive.yaml"]
      ),
      (
        "From a private server, gently:",
        [
          "imagemill run -H \"Authorization: Bearer $TOKEN\" --header-for https://images.example.com "
            + "--per-host 2 --rate 5 images.yaml"
        ]
      ),
    ],
    "pipe": [
      (
        "Round thumbnails of two addresses; their paths are printed:",
        [
          "printf '%s\\n' https://example.com/a.jpg https://example.com/b.jpg | "
            + "imagemill pipe -f fill:100x100,circle -o 'out/{name}.png'"
        ]
      ),
      ("A list in a file:", ["imagemill pipe -f fit:800x600 -o 'out/{index:03}-{name}.webp' < urls.txt"]),
      (
        "Local files whose names may hold anything:",
        [
          "find . -name '*.jpg' -print0 | imagemill pipe -0 -f limit:1600x -o 'small/{name}-{source-hash:8}.webp'"
        ]
      ),
      (
        "The images of a directory, in a tree like its own:",
        ["imagemill pipe -f limit:1600x -o 'tree/{dir}/{name}.webp' photos"]
      ),
      (
        "Results for another program, in the order of the input:",
        ["imagemill pipe --json --ordered -o 'json/{name}.webp' < urls.txt"]
      ),
      (
        "A table with a header line, whose columns name the files:",
        ["imagemill pipe --input csv -f fill:128x128,circle -o 'team/{id}.png' < people.csv"]
      ),
    ],
    "convert": [
      ("A thumbnail:", ["imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg"]),
      (
        "Several filters, and quality:",
        ["imagemill convert photo.jpg -f limit:1600x,sharpen --quality 82 photo.webp"]
      ),
      (
        "A watermark, 10 pixels from the corner and half transparent:",
        ["imagemill convert photo.jpg --source logo=logo.png -f overlay:logo:southeast:10:10:0.5 marked.jpg"]
      ),
      ("An animated avatar:", ["imagemill convert spinner.gif -f fill:96x96,circle avatar.webp"]),
      (
        "Between other programs:",
        [
          "curl -s https://example.com/photo.jpg | imagemill convert - -f fit:800x600 - --format webp > photo-800.webp"
        ]
      ),
      (
        "Under 20 kB, in whichever format is the smallest:",
        ["imagemill convert photo.jpg -f limit:600x --format webp,jpeg --max-output-bytes 20kB 'small.{ext}'"]
      ),
      (
        "With a header that only its own server gets:",
        [
          "imagemill convert -H \"Authorization: Bearer $TOKEN\" https://images.example.com/private/photo.jpg private.jpg"
        ]
      ),
    ],
    "fetch": [
      (
        "Into the cache, for later runs:",
        ["imagemill fetch https://example.com/photo.jpg https://example.com/b.jpg"]
      ),
      ("What a client of the cache sees:", ["imagemill fetch --json https://example.com/photo.jpg"]),
      ("Into a file:", ["imagemill fetch -o copy.jpg https://example.com/photo.jpg"]),
    ],
    "plan": [
      ("What a run would do:", ["imagemill plan images.yaml"]),
      ("The same for a program:", ["imagemill plan --json images.yaml"]),
      ("The graph of steps, for Graphviz:", ["imagemill plan --dot images.yaml > plan.dot"]),
    ],
    "validate": [
      ("The directory's own manifest:", ["imagemill validate"]),
      ("Several; every mistake of all of them is told:", ["imagemill validate images.yaml responsive.yaml"]),
    ],
    "inspect": [
      ("What a picture is:", ["imagemill inspect photo.jpg"]),
      ("As JSON, of a remote one:", ["imagemill inspect --json https://example.com/photo.jpg"]),
      (
        "With what a page may show until it is loaded:", ["imagemill inspect --json --placeholders photo.jpg"]
      ),
    ],
    "filters": [
      ("All of them:", ["imagemill filters"]),
      ("One, with its arguments and an example:", ["imagemill filters fill"]),
      ("Names only, for programs:", ["imagemill filters --names"]),
    ],
    "formats": [
      ("What can be read and written here:", ["imagemill formats"]),
      ("The options of one encoder:", ["imagemill formats webp"]),
    ],
    "cache": [
      ("How large it is, and what it has spared:", ["imagemill cache stats"]),
      (
        "Why a file was made again, or what it was made from:",
        ["imagemill run", "imagemill cache explain team/ada.png"]
      ),
      ("Read everything, and drop what is damaged:", ["imagemill cache verify"]),
      ("Make it smaller:", ["imagemill cache purge --to 500MB"]),
      ("Empty it:", ["imagemill cache clear"]),
    ],
    "schema": [
      (
        "For editors; a manifest names it in its first line, '# yaml-language-server: $schema=imagemill.schema.json':",
        ["imagemill schema > imagemill.schema.json"]
      )
    ],
    "completions": [
      (
        "For bash, for this user:",
        ["imagemill completions bash > ~/.local/share/bash-completion/completions/imagemill"]
      ),
      ("For zsh, in a directory of its fpath:", ["imagemill completions zsh > ~/.zfunc/_imagemill"]),
      ("For fish:", ["imagemill completions fish > ~/.config/fish/completions/imagemill.fish"]),
    ],
    "doctor": [
      ("For people, and for bug reports:", ["imagemill doctor"]),
      ("For programs:", ["imagemill doctor --json"]),
    ],
    "help": [
      ("The manual's first page:", ["imagemill help"]),
      ("How a manifest is written:", ["imagemill help manifest"]),
    ],
  ]
}
