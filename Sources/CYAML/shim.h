// libyaml, for manifests in YAML.
#pragma once
#include <yaml.h>
