"""Engines that ask many small questions: the paths of the reachability tree, underapproximation and widening."""
