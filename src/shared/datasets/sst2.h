// The Stanford Sentiment Treebank with two classes, in the tab-separated forms it is passed around in.
#pragma once

#include "datasets/dataset.h"

namespace transformeter {

/// GLUE's `sentence label` (train, dev) and `index sentence` (test), and `label content`.
DataFormat sst2_format();

}  // namespace transformeter
