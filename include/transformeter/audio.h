// For programs that only turn sound files into the values that a model reads: link transformeter_audio, which needs
// only `base` of the project.
#pragma once

#include "audio/feature_extractor.h"  // extract_features: as a checkpoint's preprocessor_config.json says
#include "audio/load_audio.h"         // load_audio: WAV, FLAC and Ogg files as one channel at a model's rate
