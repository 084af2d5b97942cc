/// The EXAMPLES of the commands' pages. A test runs each page's examples in order, in a directory with the files that
/// they name.
enum CommandExamples {
  /// The purpose of an example, and its command lines.
  typealias Example = (purpose: String, lines: [String])

  static let byCommand: [String: [Example]] = [
    "run": [
      ("Make every output of imagemill.yaml in the current directory:", ["imagemill run"]),
      ("Make one output, with what it needs, and print why:", ["imagemill run --why team/ada.png"]),
      (
        "Write outputs to the directory public, and a contact sheet:",
        ["imagemill run -C public --report report.html images.yaml"]
      ),
      (
        "Repeat only the jobs that failed in the last run, or in one with a report:",
        [
          "imagemill run --report run.ndjson images.yaml",
          "imagemill run --failed images.yaml",
          "imagemill run --failed run.ndjson images.yaml",
        ]
      ),
      (
        "Run part 2 of 4 of a large manifest, on the second of four machines:",
        ["imagemill run --shard 2/4 images.yaml"]
      ),
      (
        "Lock the sources' digests, and refuse sources that have changed:",
        [
          "imagemill run --lock images.lock images.yaml",
          "imagemill run --lock images.lock --frozen images.yaml",
        ]
      ),
      (
        "In CI, compare the manifest, the sources and the outputs with the lock file; the exit status is 3 if one "
          + "differs:",
        ["imagemill run --check --lock images.lock images.yaml"]
      ),
      (
        "Remove files that earlier runs made and the manifest no longer lists:",
        ["imagemill run --prune images.yaml"]
      ),
      ("Run without the network, from the cache:", ["imagemill run --offline images.yaml"]),
      (
        "Render nothing that another machine has rendered:",
        [
          "imagemill run --remote-cache https://cache.example.com/images images.yaml",
          "imagemill run --remote-cache s3://ci-cache/images images.yaml",
        ]
      ),
      (
        "Review the outputs in a contact sheet, with what has changed since an earlier run:",
        ["imagemill run --report sheet.html --compare run.ndjson images.yaml"]
      ),
      (
        "Make a responsive set, and a <picture> element for it:",
        ["imagemill run --emit picture=hero.html responsive.yaml"]
      ),
      (
        "Download from a private server, with limits on connections, requests and bytes per second:",
        [
          "IMAGEMILL_HEADER=\"Authorization: Bearer $TOKEN\" imagemill run --header-for https://images.example.com "
            + "--per-host 2 --rate 5 --limit-rate 2M images.yaml"
        ]
      ),
    ],
    "pipe": [
      (
        "Make round thumbnails of two URLs, and print their paths:",
        [
          "printf '%s\\n' https://example.com/a.jpg https://example.com/b.jpg | "
            + "imagemill pipe -f fill:100x100,circle -o 'out/{name}.png'"
        ]
      ),
      (
        "Convert a list of sources:",
        ["imagemill pipe -f fit:800x600 -o 'out/{index:03}-{name}.webp' < urls.txt"]
      ),
      (
        "Convert local files with arbitrary names:",
        [
          "find . -name '*.jpg' -print0 | imagemill pipe -0 -f limit:1600x -o 'small/{name}-{source-hash:8}.webp'"
        ]
      ),
      (
        "Convert the images of a directory, and keep its tree:",
        ["imagemill pipe -f limit:1600x -o 'tree/{dir}/{name}.webp' photos"]
      ),
      (
        "Repeat only the lines that failed in the last run:",
        [
          "imagemill pipe -f fit:800x600 -o 'out/{index:03}-{name}.webp' < urls.txt",
          "imagemill pipe --failed -f fit:800x600 -o 'out/{index:03}-{name}.webp' < urls.txt",
        ]
      ),
      (
        "Give each row of a table its own size, from its columns:",
        ["imagemill pipe --input csv -f 'fill:{w}x{h}' -o 'sized/{id}.png' < sizes.csv"]
      ),
      (
        "Print results for another program, in the order of the input:",
        ["imagemill pipe --json --ordered -o 'json/{name}.webp' < urls.txt"]
      ),
      (
        "Feed a program that reads one result per line; a failed image doesn't change the exit status:",
        [
          "imagemill pipe -q --json --failures-are-results --progress none -o 'results/{name}.webp' < urls.txt | "
            + "wc -l"
        ]
      ),
      (
        "Convert the rows of a table, whose columns name the files:",
        ["imagemill pipe --input csv -f fill:128x128,circle -o 'team/{id}.png' < people.csv"]
      ),
    ],
    "convert": [
      ("Make a thumbnail:", ["imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg"]),
      (
        "Apply several filters, and set the quality:",
        ["imagemill convert photo.jpg -f limit:1600x,sharpen --quality 82 photo.webp"]
      ),
      (
        "Add a half-transparent watermark, 10 pixels from the corner:",
        ["imagemill convert photo.jpg --source logo=logo.png -f overlay:logo:southeast:10:10:0.5 marked.jpg"]
      ),
      (
        "Add a watermark with 30% of the image's width, at the bottom right:",
        ["imagemill convert photo.jpg -f overlay:logo.png:southeast:10:10:size=30% watermarked.jpg"]
      ),
      (
        "Make a round avatar with a border:",
        ["imagemill convert photo.jpg -f fill:96x96,circle,border:4:white bordered.png"]
      ),
      (
        "Convert the HEIC and PNG images in a directory and its subdirectories to WebP, beside the originals:",
        ["imagemill convert 'photos/**/*.{heic,png}' -o 'photos/{dir}/{name}.webp'"]
      ),
      ("Make an animated avatar:", ["imagemill convert spinner.gif -f fill:96x96,circle avatar.webp"]),
      (
        "Convert in a pipeline:",
        [
          "curl -s https://example.com/photo.jpg | imagemill convert - -f fit:800x600 - --format webp > photo-800.webp"
        ]
      ),
      (
        "Write at most 20 kB, in the smaller of two formats:",
        ["imagemill convert photo.jpg -f limit:600x --format webp,jpeg --max-output-bytes 20kB 'small.{ext}'"]
      ),
      (
        "Send a header only to the source's server:",
        [
          "IMAGEMILL_HEADER=\"Authorization: Bearer $TOKEN\" imagemill convert https://images.example.com/private/photo.jpg private.jpg"
        ]
      ),
    ],
    "fetch": [
      (
        "Fill the cache for later runs:",
        ["imagemill fetch https://example.com/photo.jpg https://example.com/b.jpg"]
      ),
      ("Show a response as the cache serves it:", ["imagemill fetch --json https://example.com/photo.jpg"]),
      (
        "Download at no more than 500 kB per second from each host:",
        ["imagemill fetch --limit-rate 500k https://example.com/photo.jpg https://example.com/b.jpg"]
      ),
      ("Save to a file:", ["imagemill fetch -o copy.jpg https://example.com/photo.jpg"]),
    ],
    "ls": [
      (
        "Make a thumbnail of every object below a prefix:",
        ["imagemill ls s3://photos/2026/ | imagemill pipe -f fill:200x200 -o 'thumbnails/{dir}/{name}.webp'"]
      ),
      (
        "List a bucket of a server on this machine as JSON:",
        ["imagemill ls --json --s3-endpoint http://127.0.0.1:9000 --allow-net loopback s3://photos"]
      ),
    ],
    "plan": [
      ("Show what a run would do:", ["imagemill plan images.yaml"]),
      ("Print the plan as JSON:", ["imagemill plan --json images.yaml"]),
      ("Write the graph of steps for Graphviz:", ["imagemill plan --dot images.yaml > plan.dot"]),
    ],
    "report": [
      (
        "Divide a manifest into two parts, and make one contact sheet of their reports:",
        [
          "imagemill run --shard 1/2 --report 1.ndjson images.yaml",
          "imagemill run --shard 2/2 --report 2.ndjson images.yaml",
          "imagemill report merge 1.ndjson 2.ndjson -o all.html",
        ]
      )
    ],
    "validate": [
      ("Check the manifest of the current directory:", ["imagemill validate"]),
      (
        "Check several manifests, and report every mistake in all of them:",
        ["imagemill validate images.yaml responsive.yaml"]
      ),
    ],
    "init": [
      ("Write a manifest to begin with:", ["imagemill init -o first.yaml"]),
      (
        "Write a manifest for a list of URLs, and run it:",
        ["imagemill init --from urls.txt -o list.yaml", "imagemill run list.yaml"]
      ),
      ("Write one for the images below a directory:", ["imagemill init --from photos -o photos.yaml"]),
    ],
    "inspect": [
      ("Show an image's properties:", ["imagemill inspect photo.jpg"]),
      (
        "Print the properties of a remote image as JSON:",
        ["imagemill inspect --json https://example.com/photo.jpg"]
      ),
      (
        "Add placeholders, which a page shows until the image is loaded:",
        ["imagemill inspect --json --placeholders photo.jpg"]
      ),
    ],
    "filters": [
      ("List all filters:", ["imagemill filters"]),
      ("Show a filter's arguments and an example:", ["imagemill filters fill"]),
      ("Print only names, for programs:", ["imagemill filters --names"]),
    ],
    "formats": [
      ("List the formats that this installation reads and writes:", ["imagemill formats"]),
      ("Show the options of one encoder:", ["imagemill formats webp"]),
    ],
    "config": [
      ("Show every setting, and where its value comes from:", ["imagemill config"]),
      (
        "Limit every later run of this shell to two downloads per host:",
        ["export IMAGEMILL_PER_HOST=2", "imagemill config"]
      ),
    ],
    "cache": [
      ("Show size and hit statistics:", ["imagemill cache stats"]),
      (
        "Show what a file was made from, and why it would be made again:",
        ["imagemill run", "imagemill cache explain team/ada.png"]
      ),
      ("Verify every object, and remove damaged ones:", ["imagemill cache verify"]),
      ("Let the cache grow to 20 GiB, for every command that uses it:", ["imagemill cache limit 20GiB"]),
      ("Shrink the cache:", ["imagemill cache purge --to 500MB"]),
      ("Empty the cache:", ["imagemill cache clear"]),
    ],
    "schema": [
      (
        "Write the schema for editors. The first line '# yaml-language-server: $schema=imagemill.schema.json' in a "
          + "manifest refers to it:",
        ["imagemill schema > imagemill.schema.json"]
      ),
      ("Print the schema of the lines that 'imagemill pipe --json' prints:", ["imagemill schema result"]),
    ],
    "completions": [
      (
        "Install the script for bash, for one user:",
        ["imagemill completions bash > ~/.local/share/bash-completion/completions/imagemill"]
      ),
      ("Install it for zsh, in a directory of fpath:", ["imagemill completions zsh > ~/.zfunc/_imagemill"]),
      ("Install it for fish:", ["imagemill completions fish > ~/.config/fish/completions/imagemill.fish"]),
    ],
    "doctor": [
      ("Check the installation:", ["imagemill doctor"]),
      ("Print the report as JSON:", ["imagemill doctor --json"]),
    ],
    "help": [
      ("Show the manual's first page:", ["imagemill help"]),
      ("Show the manifest's format:", ["imagemill help manifest"]),
    ],
  ]
}
