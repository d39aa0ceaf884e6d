// The functions that the libraries export.
#pragma once

#define EXPORTED extern "C" [[gnu::visibility("default")]]
